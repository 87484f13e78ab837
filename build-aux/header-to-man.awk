# SPDX-License-Identifier: GPL-2.0-or-later
# header-to-man.awk: makes the manual page domxml(3) of the documentation blocks in domxml.h.
# Usage: awk -v version=VERSION -f build-aux/header-to-man.awk libdomxml/domxml.h >domxml.3

function escape(text) {
    gsub(/\\/, "\\e", text)
    sub(/^[.']/, "\\\\\\&&", text)
    return text
}

function code(line) {
    line = escape(line)
    gsub(/-/, "\\-", line)
    print line
}

# Names of arguments, functions and constants in bold or italics.
function prose(text) {
    text = escape(text)
    gsub(/@[a-z_]+/, "\\fI&\\fR", text)
    gsub(/\\fI@/, "\\fI", text)
    gsub(/domxml_[a-z_]+\(\)/, "\\fB&\\fR", text)
    gsub(/DOMXML_[A-Z_]+/, "\\fB&\\fR", text)
    return text
}

# One line of a block, without the comment's frame.
function bare(line) {
    sub(/[ ]*\*\/$/, "", line)
    sub(/^[ ]?\/?\*+[ ]?/, "", line)
    return line
}

function print_block(    i, line, in_list) {
    in_list = 0
    for (i = 1; i <= lines; i++) {
        line = block[i]
        if (line ~ /^@/) {
            print ".TP"
            match(line, /^[^:]*/)
            print prose(substr(line, 1, RLENGTH))
            line = substr(line, RLENGTH + 2)
            sub(/^ +/, "", line)
            print prose(line)
            in_list = 1
        } else if (line ~ /^ *$/) {
            print ".PP"
            in_list = 0
        } else {
            if (in_list && line !~ /^ /) {
                print ".PP"
                in_list = 0
            }
            if (line ~ /^Returns:/)
                print ".PP"
            # Indented by more than what goes on a list: a piece of code, line by line.
            if (line ~ /^    /) {
                print ".nf"
                code(line)
                print ".fi"
            } else {
                sub(/^ +/, "", line)
                print prose(line)
            }
        }
    }
}

function print_declaration(    i) {
    print ".PP"
    print ".nf"
    for (i = 1; i <= declared; i++)
        code(declaration[i])
    print ".fi"
    print ".PP"
}

# The name that the block gives, or that the declaration has.
function block_name(    name) {
    name = block[1]
    if (name ~ /^domxml_[a-z_]+:/) {
        sub(/:.*/, "", name)
        sub(/^domxml_[a-z_]+: */, "", block[1])
        return name
    }
    name = declaration[1]
    sub(/^#define /, "", name)
    sub(/^typedef struct /, "", name)
    sub(/[ ;({].*/, "", name) || 1
    if (name == "struct" || name == "enum") {
        name = declaration[1]
        sub(/ \{.*/, "", name)
    }
    return name
}

function end_declaration() {
    print ".SS " block_name()
    print_declaration()
    print_block()
    state = "between"
}

BEGIN {
    state = "start"
    printf ".TH DOMXML 3 \"\" \"libdomxml %s\" \"Library functions\"\n", version
    print ".SH NAME"
    print "domxml \\- lossless edits of disks in libvirt domain XML"
    print ".SH SYNOPSIS"
    print ".nf"
    print "#include <domxml.h>"
    print ".PP"
    print "cc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs domxml)"
    print ".fi"
    print ".SH DESCRIPTION"
}

# The comment on top of the file.
state == "start" && /^ \* domxml\.h: / { state = "top"; lines = 0; sub(/domxml\.h: /, "domxml.h is ") }
state == "top" {
    block[++lines] = bare($0)
    if (/\*\/$/) {
        print_block()
        state = "between"
        print ".SH TYPES AND LIMITS"
    }
    next
}

state == "between" && /^\/\* ---- / {
    title = $0
    gsub(/^\/\* -+ | -+ \*\/$/, "", title)
    print ".SH " toupper(title)
    state = "section"
    next
}
# A remark on the whole section.
state == "section" && /^\/\* [A-Z]/ { state = "remark"; lines = 0 }
state == "remark" {
    block[++lines] = bare($0)
    if (/\*\/$/) {
        print_block()
        state = "between"
    }
    next
}

(state == "between" || state == "section") && /^\/\*\*/ {
    lines = 0
    state = "block"
    if ($0 == "/**")
        next
}
state == "block" {
    line = bare($0)
    if (line != "" || $0 !~ /\*\/$/)
        block[++lines] = line
    if (/\*\/$/) {
        state = "declaration"
        declared = 0
        nested = 0
    }
    next
}

state == "declaration" {
    declaration[++declared] = $0
    nested += gsub(/\{/, "{") - gsub(/\}/, "}")
    if ((/^#define/ && !/\\$/) || (/;( *\/\*.*)?$/ && nested == 0))
        end_declaration()
}

END {
    if (state != "between" && state != "section") {
        print "header-to-man.awk: the header ends inside of a " state >"/dev/stderr"
        exit 1
    }
    print ".SH EXAMPLES"
    print "Two programs come with the sources in contrib/example: disk-cache.c changes a disk and prints"
    print "the change as a diff; show-domain.c reads what else there is in a domain by paths."
    print ".SS Reading a domain"
    print "What no function is made for is read by its path or by walking over elements, each with its"
    print "place in the text:"
    print ".PP"
    print ".nf"
    print "const domxml_elem *domain = domxml_doc_domain(doc);"
    print "const char *machine = domxml_get(domain, \"os/type@machine\");"
    print "const domxml_elem *devices = domxml_find(domain, \"devices\");"
    print "const domxml_elem *controller = domxml_elem_child(devices, \"controller\");"
    print "struct domxml_span span;"
    print "int line, column;"
    print ""
    print "for (; controller; controller = domxml_elem_next(controller, \"controller\")) {"
    print "    domxml_get_span(controller, \"@model\", &span);"
    print "    domxml_doc_position(doc, span.offset, &line, &column);"
    print "    printf(\"%d:%d: %s\\en\", line, column, domxml_get(controller, \"@type\"));"
    print "}"
    print ".fi"
    print ".SH SEE ALSO"
    print ".BR domlint (1)"
}
