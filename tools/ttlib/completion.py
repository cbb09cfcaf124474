"""tt completion: bash completion for tt, made from its own parser.

    source <(tools/tt completion)

Completes commands, their options, the words an option may have, and file names.
"""

NAME = "completion"
HELP = "print bash completion: source <(tools/tt completion)"

SCRIPT = """\
_tt()
{{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
    local command= i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${{COMP_WORDS[i]}} == -* ]] || {{ command=${{COMP_WORDS[i]}}; break; }}
    done
    case "$command $before" in
{values}
    esac
    case "$command" in
{options}
    *) [[ $word == -* ]] && COMPREPLY=($(compgen -W "-h --help" -- "$word")) ||
        COMPREPLY=($(compgen -W "{commands}" -- "$word")) ; return ;;
    esac
    [[ $word == -* ]] || COMPREPLY=($(compgen -f -- "$word"))
}}
complete -o filenames -F _tt tt tools/tt ./tools/tt
"""


def add_arguments(parser):
    del parser  # it takes none


def script(top):
    commands = next(a for a in top._actions if a.dest == "command").choices
    values, options = [], []
    for name, parser in commands.items():
        words = [w for action in parser._actions for w in action.option_strings]
        options.append(f'    {name}) COMPREPLY=($(compgen -W "{" ".join(words)}" -- "$word")) ;;')
        for action in parser._actions:
            for word in action.option_strings if action.choices else ():
                choices = " ".join(map(str, action.choices))
                values.append(f'    "{name} {word}") COMPREPLY=($(compgen -W "{choices}" -- "$word")); return ;;')
    return SCRIPT.format(values="\n".join(values), options="\n".join(options), commands=" ".join(commands))


def run(args):
    from .cli import parser

    print(script(parser()), end="")
    return 0
