"""How a command ends badly: exit status 1 is a finding, 2 a usage error."""


class Finding(Exception):
    """What was asked for was done, and the answer is bad news (status 1)."""


class Usage(Exception):
    """What was asked for makes no sense or cannot be done here (status 2)."""
