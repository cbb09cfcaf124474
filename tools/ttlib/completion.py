"""tt completion: bash completion for tt, made from its own parser.

    source <(tools/tt completion)

Completes commands, their options, the words an option may have, the axes of a sweep, and file names.
"""

from . import matrix

NAME = "completion"
HELP = "print bash completion: source <(tools/tt completion)"

SCRIPT = """\
_tt()
{{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
    local command= i
    local axis=
    COMPREPLY=()
    # bash makes three words of model=ds10
    [[ $word == = ]] && {{ axis=$before word=; }}
    [[ $before == = ]] && axis=${{COMP_WORDS[COMP_CWORD - 2]}}
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${{COMP_WORDS[i]}} == -* ]] || {{ command=${{COMP_WORDS[i]}}; break; }}
    done
    case "$command $before" in
{values}
    esac
    local head=${{word%"${{word##*,}}"}}
    case "$command $axis" in
{axes}
    esac
    [[ $command == sweep && $word != -* && ( $before != -* || " {flags} " == *" $before "* ) ]] && {{
        compopt -o nospace 2> /dev/null
        COMPREPLY=($(compgen -W "{axis_names}" -- "$word"))
        return
    }}
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
            choices = " ".join(getattr(action, "words", action.choices) or ())
            for word in action.option_strings if choices else ():
                values.append(f'    "{name} {word}") COMPREPLY=($(compgen -W "{choices}" -- "$word")); return ;;')
    axes = [
        f'    "sweep {name}") COMPREPLY=($(compgen -P "$head" -W "{" ".join(axis.known())}" -- "${{word##*,}}")); return ;;'
        for name, axis in matrix.AXES.items()
        if axis.known()
    ]
    return SCRIPT.format(
        values="\n".join(values), options="\n".join(options), commands=" ".join(commands), axes="\n".join(axes),
        flags=" ".join(word for a in commands["sweep"]._actions if a.nargs == 0 for word in a.option_strings),
        axis_names=" ".join(f"{name}=" for name in matrix.AXES),
    )


def run(args):
    from .cli import parser

    print(script(parser()), end="")
    return 0
