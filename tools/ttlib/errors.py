"""How a command ends badly: exit status 1 is a finding, 2 a usage error."""


class Finding(Exception):
    """What was asked for was done, and the answer is bad news (status 1)."""


class Usage(Exception):
    """What was asked for makes no sense or cannot be done here (status 2)."""


def did_you_mean(word, words, form="{}"):
    """"did you mean x? ", of the word that is nearest; empty when none is near."""
    import difflib  # a third of a second, and rarely needed

    near = difflib.get_close_matches(word, list(words), 1)
    return f"did you mean {form.format(near[0])}? " if near else ""
