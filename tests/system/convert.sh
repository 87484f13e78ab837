# SPDX-License-Identifier: GPL-2.0-or-later
#
# convert.sh: what the tests of conversions share; after lib.sh. What an image holds is qemu-img's
# word, what a domain is defined as is virsh's.

# make_grown_image PATH [SIZE [OPTION...]]: a qcow2 image that grows, with some data in two places;
# OPTIONs go to `qemu-img create`.
make_grown_image()
{
    local path=$1 size=${2:-32M}

    shift $(($# > 1 ? 2 : 1))
    make_image qcow2 "$path" "$size" "$@"
    head -c 3000000 /dev/urandom >"$path.random"
    qemu-io -f qcow2 -c "write -q -s $path.random 0 3000000" -c "write -q -P 0x5a 10M 1M" "$path"
    rm "$path.random"
}

# raw_sum FORMAT PATH: the checksum of what a guest reads.
raw_sum()
{
    local raw

    raw=$(mktemp "$DOMLINT_LIBVIRTD/raw.XXXXXX")
    qemu-img convert -f "$1" -O raw "$2" "$raw"
    sha256sum <"$raw"
    rm "$raw"
}

# files: the names of the files beside the images, sorted, on one line.
files()
{
    (cd "${1:-$images}" && find . -type f -printf '%f\n' | sort | tr '\n' ' ')
}

# dump NAME: a domain's definition with its secrets.
dump()
{
    virsh dumpxml --inactive --security-info "$1"
}

# kept_by ID: the original that a run of one conversion keeps.
kept_by()
{
    domlint --history | sed -n "/^ *$1 /,/^ *[0-9]/s/^ *keeps \(.*\) ([^)]*)\$/\1/p"
}

# assert_refused STATUS TEXT ARG...: that domlint refuses, says so, and changes nothing.
assert_refused()
{
    local expected=$1 text=$2

    shift 2
    record_state "$DOMLINT_LIBVIRTD/before"
    assert_status "$expected" domlint "$@"
    assert_contains "$errors" "$text"
    assert_state "$DOMLINT_LIBVIRTD/before"
}

# define_grown NAME [DISK-ATTRIBUTES]: a domain on NAME.qcow2, which is made.
define_grown()
{
    make_grown_image "$images/$1.qcow2"
    define_domain "$1" "$(disk_xml vda virtio qcow2 "$images/$1.qcow2" "${2:-}")"
}

# assert_image NAME SUM: that the domain's disk vda is whole and holds what it did, whichever of its
# images it is on.
assert_image()
{
    local path format

    path=$(inactive_xml "$1" | xmllint --xpath 'string(//disk[target/@dev="vda"]/source/@file)' -)
    format=$(inactive_xml "$1" | xmllint --xpath 'string(//disk[target/@dev="vda"]/driver/@type)' -)
    if [ "$format" = qcow2 ]; then
        qemu-img check -q -f qcow2 "$path" || fail "$path is damaged"
    fi
    assert_equal "$(raw_sum "$format" "$path")" "$2" "content of $path ($format)"
}
