"""The modules behind tools/tt, one idea a file.

records, log     the serial log: from bytes to checked records, and what is missing
ktap             verdict lines
source           where a log comes from: file, standard input, serial line, TCP, telnet
qemu, run        the machine, and one boot of it
Commands are the modules that cli.COMMANDS names.
"""
