# SPDX-License-Identifier: GPL-2.0-or-later
#
# lib.sh: what the system tests share. A test is a bash script that begins with
#
#     . "$(dirname "$0")/lib.sh"
#     enter_libvirtd "$@"            # or: enter_libvirtd --guest "$@"
#
# goes on with functions whose names begin with test_, and ends with `run_tests`. Each function runs
# in a subshell of its own, with a folder of its own for images ($images) and one that domlint makes
# for its journal ($state), and fails with the first command that fails; its domains are removed
# afterwards. Assertions say what was expected and what was found.

# Tests run in the build folder.
domlint_program=${DOMLINT:-$PWD/domlint}
system_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# enter_libvirtd [--guest] [ARG...]: runs this script again beside a private libvirtd, unless that
# is the case.
enter_libvirtd()
{
    [ -n "${DOMLINT_LIBVIRTD:-}" ] && return
    if [ "${1:-}" = --guest ]; then
        shift
        exec "$system_folder/with-libvirtd" --guest "$BASH" "$0" "$@"
    fi
    exec "$system_folder/with-libvirtd" "$BASH" "$0" "$@"
}

# ---- Running -------------------------------------------------------------------------------

# fail TEXT: ends the test that runs, and says where.
fail()
{
    local level=1

    while [[ ${FUNCNAME[level]:-} == assert_* || ${FUNCNAME[level]:-} == wait_* ]]; do
        level=$((level + 1))
    done
    echo "${BASH_SOURCE[level]##*/}:${BASH_LINENO[level - 1]}: ${FUNCNAME[level]:-}: $*" >&2
    exit 1
}

# run_tests [NAME...]: runs the functions test_*, or those named; prints the counts as Check does.
run_tests()
{
    local all name run=0 failed=0 status

    all=("$@")
    [ $# -gt 0 ] || mapfile -t all < <(compgen -A function test_)
    for name in "${all[@]}"; do
        run=$((run + 1))
        images=$DOMLINT_IMAGES/$name
        state=$DOMLINT_LIBVIRTD/state-$name
        mkdir -p "$images"
        (
            set -eE
            trap 'echo "${BASH_SOURCE[0]##*/}:$LINENO: $name: failed: $BASH_COMMAND" >&2' ERR
            "$name"
        )
        status=$?
        if [ $status = 0 ]; then
            echo "ok $name"
        else
            echo "not ok $name"
            failed=$((failed + 1))
        fi
        remove_domains
    done
    [ $run -gt 0 ] || failed=1
    echo "$((run ? (run - failed) * 100 / run : 0))%: Checks: $run, Failures: $failed, Errors: 0"
    [ $failed = 0 ]
}

# Removes all domains, with all that keeps libvirt from it.
remove_domains()
{
    local name

    virsh -q list --all --name | while read -r name; do
        [ -n "$name" ] || continue
        virsh -q destroy "$name" >/dev/null 2>&1 || :
        virsh -q undefine "$name" --managed-save --snapshots-metadata --checkpoints-metadata \
            --nvram >/dev/null 2>&1 || :
    done
    name=$(virsh -q list --all --name)
    [ -z "$name" ] || echo "domains are left: $name" >&2
}

# Removes all storage pools; what is in them stays.
remove_pools()
{
    local name

    virsh -q pool-list --all --name | while read -r name; do
        [ -n "$name" ] || continue
        virsh -q pool-destroy "$name" >/dev/null 2>&1 || :
        virsh -q pool-undefine "$name" >/dev/null 2>&1 || :
    done
}

# wait_for SECONDS COMMAND...: waits until the command succeeds.
wait_for()
{
    local end=$((SECONDS + $1))

    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || fail "never came true: $*"
        sleep 0.1
    done
}

# ---- The daemon ----------------------------------------------------------------------------

libvirtd_pid()
{
    cat "$DOMLINT_LIBVIRTD/libvirtd.pid"
}

# signal_libvirtd SIGNAL: STOP makes of it a daemon that does not answer, CONT ends that, KILL makes
# a dead one.
signal_libvirtd()
{
    kill "-$1" "$(libvirtd_pid)"
}

# end_libvirtd: ends it in good order; running guests go on.
end_libvirtd()
{
    local pid

    pid=$(libvirtd_pid)
    kill -TERM "$pid"
    wait_for 30 eval "! kill -0 $pid"
}

# start_libvirtd: starts it again, after its end, and waits until it answers.
start_libvirtd()
{
    rm -f "$DOMLINT_LIBVIRTD/libvirtd.pid"
    libvirtd -d -p "$DOMLINT_LIBVIRTD/libvirtd.pid"
    wait_for 30 virsh -q version
}

# ---- domlint -------------------------------------------------------------------------------

# domlint ARG...: the program, with the test's journal; nobody is there to be asked.
domlint()
{
    "$domlint_program" --state-dir="$state" --color=never "$@" </dev/null
}

# ask_domlint ARG...: starts it on a terminal, in the background, and waits until it asks. What is
# on that terminal goes to the file $terminal; answer_domlint ANSWER goes on.
ask_domlint()
{
    local command

    terminal=$DOMLINT_LIBVIRTD/terminal
    rm -f "$terminal.in" "$terminal"
    mkfifo "$terminal.in"
    printf -v command '%q ' "$domlint_program" --state-dir="$state" --color=never "$@"
    script -qefc "$command" "$terminal" <"$terminal.in" >/dev/null 2>&1 &
    asking=$!
    exec 7>"$terminal.in"
    wait_for 30 grep -qF '[y/N]' "$terminal"
}

# answer_domlint STATUS ANSWER: answers, and expects that exit status.
answer_domlint()
{
    local status=0

    echo "$2" >&7
    wait "$asking" || status=$?
    exec 7>&-
    [ $status = "$1" ] || fail "expected exit status $1, found $status: $(cat "$terminal")"
}

# stop_domlint_at SYSTEM_CALL COUNT FILE ARG...: starts it in the background, and waits until it has
# stopped itself at that call on that file. Its output goes to $stopped.out and $stopped.err.
stop_domlint_at()
{
    local call=$1 count=$2 file=$3

    shift 3
    stopped=$DOMLINT_LIBVIRTD/stopped
    rm -f "$stopped".*
    strace -f -qq -o "$stopped.trace" -e "trace=$call" -P "$file" \
        -e "inject=$call:signal=STOP:when=$count" \
        "$domlint_program" --state-dir="$state" --color=never "$@" \
        </dev/null >"$stopped.out" 2>"$stopped.err" &
    tracer=$!
    wait_for 120 domlint_has_stopped
}

# By its tracer's word: for as long as it is traced, its state is that of one that stops at each call.
domlint_has_stopped()
{
    grep -qF -e '--- stopped by SIGSTOP ---' "$stopped.trace" && stopped_pid=$(pgrep -P "$tracer")
}

# continue_domlint STATUS: lets it go on, and expects that exit status.
continue_domlint()
{
    local status=0

    kill -CONT "$stopped_pid"
    wait "$tracer" || status=$?
    output=$(cat "$stopped.out")
    errors=$(cat "$stopped.err")
    [ $status = "$1" ] ||
        fail "expected exit status $1, found $status; output: $output; errors: $errors"
}

# kill_domlint_at SYSTEM_CALL COUNT FILE ARG...: runs it, and kills it at that call on that file,
# which is not done any more.
kill_domlint_at()
{
    local call=$1 count=$2 file=$3 status=0

    shift 3
    {
        strace -f -qq -o /dev/null -e "trace=$call" -P "$file" \
            -e "inject=$call:signal=KILL:when=$count" \
            "$domlint_program" --state-dir="$state" --color=never "$@" </dev/null >/dev/null ||
            status=$?
    } 2>/dev/null
    [ $status = 137 ] || fail "expected to be killed, found exit status $status"
}

# findings REPORT: rule, subject and severity of each finding of a JSON report.
findings()
{
    sed -n 's/^{"rule":"\([^"]*\)","severity":"\([^"]*\)","result":"\([^"]*\)",.*"subject":\([^,]*\),.*$/\1 \4 \2 \3/p' "$1"
}

# ---- Images and domains --------------------------------------------------------------------

# make_image FORMAT PATH SIZE [OPTION...]: an image, with more options for `qemu-img create`.
make_image()
{
    local format=$1 path=$2 size=$3

    shift 3
    qemu-img create -q -f "$format" "$@" "$path" "$size"
}

# make_guest_image FORMAT PATH [OPTION...]: a 64 MiB image with an ext4 file system that holds the
# file "marker" of 1 MB; prints the marker's checksum. $IMAGE_SIZE and $MARKER_BYTES make them larger.
make_guest_image()
{
    local format=$1 path=$2 work

    shift 2
    work=$(mktemp -d "$DOMLINT_LIBVIRTD/image.XXXXXX")
    mkdir "$work/root"
    head -c "${MARKER_BYTES:-1000000}" /dev/urandom >"$work/root/marker"
    truncate -s "${IMAGE_SIZE:-64M}" "$work/raw"
    mkfs.ext4 -q -d "$work/root" "$work/raw"
    qemu-img convert -f raw -O "$format" "$@" "$work/raw" "$path"
    sha256sum <"$work/root/marker" | cut -d ' ' -f 1
    rm -r "$work"
}

# disk_xml TARGET BUS FORMAT PATH [ATTRIBUTES]: a disk; ATTRIBUTES are more ones of its driver.
disk_xml()
{
    cat <<END
    <disk type='file' device='disk'>
      <driver name='qemu' type='$3'${5:+ $5}/>
      <source file='$4'/>
      <target dev='$1' bus='$2'/>
    </disk>
END
}

# domain_xml NAME [DISK_XML...]: a domain that starts anywhere, without firmware menus or network.
domain_xml()
{
    local name=$1 machine=${MACHINE:-pc} boot

    shift
    boot="<boot dev='hd'/>"
    if [ -n "${GUEST_OPTIONS+set}" ]; then
        boot="<kernel>$DOMLINT_GUEST/vmlinuz</kernel><initrd>$DOMLINT_GUEST/initrd</initrd>"
        boot+="<cmdline>console=ttyS0 quiet panic=-1 $GUEST_OPTIONS</cmdline>"
    fi
    cat <<END
<domain type='qemu'>
  <name>$name</name>
  <memory unit='MiB'>${MEMORY:-256}</memory>
  <vcpu>1</vcpu>
  <os><type arch='x86_64' machine='$machine'>hvm</type>$boot</os>
  <features><acpi/></features>
  <on_poweroff>${ON_POWEROFF:-destroy}</on_poweroff>
  <on_reboot>${ON_POWEROFF:-destroy}</on_reboot>
  <devices>
$(printf '%s' "$@")
    <serial type='file'><source path='$DOMLINT_LIBVIRTD/$name.console'/><target port='0'/></serial>
    <memballoon model='none'/>
  </devices>
</domain>
END
}

# define_domain NAME [DISK_XML...]: defines such a domain.
define_domain()
{
    domain_xml "$@" >"$DOMLINT_LIBVIRTD/$1.xml"
    virsh -q define --validate "$DOMLINT_LIBVIRTD/$1.xml"
}

# define_guest NAME OPTIONS [DISK_XML...]: defines the test guest; OPTIONS are words for its
# kernel's command line (see guest-init).
define_guest()
{
    local name=$1 options=$2

    shift 2
    GUEST_OPTIONS="domlint.disks=$# $options" define_domain "$name" "$@"
}

# boot_guest NAME: starts the test guest, waits until it has powered itself off, and prints what it
# said.
boot_guest()
{
    : >"$DOMLINT_LIBVIRTD/$1.console"
    virsh -q start "$1"
    wait_for 120 eval "[ \"\$(virsh -q domstate $1)\" = 'shut off' ]"
    guest_said "$1"
}

# guest_said NAME: what the guest has said since it was started.
guest_said()
{
    tr -d '\r' <"$DOMLINT_LIBVIRTD/$1.console" | sed -n 's/^.*DOMLINT //p'
}

# inactive_xml NAME: the definition that is used at the next start, without what is secret.
inactive_xml()
{
    virsh -q dumpxml --inactive "$1"
}

# ---- Assertions ----------------------------------------------------------------------------

# assert_equal FOUND EXPECTED [WHAT]
assert_equal()
{
    [ "$1" = "$2" ] || fail "${3:-value}: expected '$2', found '$1'"
}

# assert_contains TEXT PART
assert_contains()
{
    [[ $1 == *"$2"* ]] || fail "expected to find '$2' in: $1"
}

# assert_lacks TEXT PART
assert_lacks()
{
    [[ $1 != *"$2"* ]] || fail "expected not to find '$2' in: $1"
}

# assert_status STATUS COMMAND...: what the command prints is left in $output, its error output in
# $errors.
assert_status()
{
    local expected=$1 status=0

    shift
    output=$("$@" 2>"$DOMLINT_LIBVIRTD/errors") || status=$?
    errors=$(cat "$DOMLINT_LIBVIRTD/errors")
    [ $status = "$expected" ] ||
        fail "$*: expected exit status $expected, found $status; output: $output; errors: $errors"
}

# assert_same_file A B: the same bytes.
assert_same_file()
{
    cmp "$1" "$2" >&2 || {
        diff -u "$1" "$2" | head -n 40 >&2
        fail "$1 and $2 differ"
    }
}

# assert_xml_equal A B: the same in canonical form.
assert_xml_equal()
{
    local a b

    a=$(xmllint --c14n "$1") || fail "$1: not XML"
    b=$(xmllint --c14n "$2") || fail "$2: not XML"
    [ "$a" = "$b" ] || {
        diff -u <(echo "$a") <(echo "$b") | head -n 40 >&2
        fail "$1 and $2 differ as XML"
    }
}

# assert_xpath FILE XPATH VALUE: what the expression's string() is in a file ("-": standard input).
assert_xpath()
{
    local found

    found=$(xmllint --xpath "string($2)" "$1") || fail "$1: no $2"
    [ "$found" = "$3" ] || fail "$1: $2: expected '$3', found '$found'"
}

# assert_domain NAME XPATH VALUE: the same, in a domain's inactive definition.
assert_domain()
{
    local found

    found=$(inactive_xml "$1" | xmllint --xpath "string($2)" -) || fail "$1: no $2"
    [ "$found" = "$3" ] || fail "domain $1: $2: expected '$3', found '$found'"
}

# record_state FILE: what must not change where domlint refuses or only looks: the checksums of all
# definitions with their secrets, all states, and all files of this test's images, with owner, mode
# and time.
record_state()
{
    local name

    {
        virsh -q list --all --name | sort | while read -r name; do
            [ -n "$name" ] || continue
            echo "$name $(virsh -q dumpxml --inactive --security-info "$name" | sha256sum)"
            virsh -q dominfo "$name" | grep -Ev '^(CPU time|Id):'
            virsh -q snapshot-list --name "$name"
        done
        find "$images" -printf '%p %y %i %n %u:%g %m %s %T@ %l\n' | sort
        find "$images" -type f -print0 | sort -z | xargs -0 -r sha256sum
    } >"$1"
}

# assert_state FILE: that nothing of it has changed.
assert_state()
{
    record_state "$1.now"
    assert_same_file "$1" "$1.now"
}
