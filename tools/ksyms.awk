# From `nm -n` of a linked kernel to the assembly source of its symbol table (section .ksyms, read
# by kernel/core/symbols.c): bounds, count, ascending offsets, names. Functions between
# __text_start and __text_end only; of several names for one address a global one.
#
#   nm -n pass1.elf | awk -f tools/ksyms.awk > ksyms.S
#
# Addresses stay strings: awk's numbers have 53 bits. The assembler subtracts.

NF == 3 && $3 == "__text_start" { first = $1 "" }
NF == 3 && $3 == "__text_end" { last = $1 "" }

NF == 3 && $2 ~ /^[tTwW]$/ && $3 !~ /^(__text_|\.|\$)/ {
    address = $1 ""
    if (n && address == at[n]) {
        if (kind[n] != "T" && $2 == "T") {
            name[n] = $3
            kind[n] = $2
        }
        next
    }
    n++
    at[n] = address
    name[n] = $3
    kind[n] = $2
}

END {
    if (first == "" || last == "") {
        print "ksyms.awk: no __text_start or __text_end in the input" > "/dev/stderr"
        exit 1
    }
    for (i = 1; i <= n; i++) {
        if (at[i] < first || at[i] >= last) continue
        if (!count++) base = at[i]
        offsets = offsets "\t.long 0x" at[i] " - 0x" base "\n"
        names = names "\t.asciz \"" name[i] "\"\n"
    }
    if (!count) {
        print "ksyms.awk: no function in the input" > "/dev/stderr"
        exit 1
    }
    print "\t.section .ksyms, \"a\", @progbits"
    print "\t.balign 8"
    print "\t.quad 0x" base ", 0x" last
    print "\t.long " count
    printf "%s%s", offsets, names
    print "\t.section .note.GNU-stack, \"\", @progbits"
}
