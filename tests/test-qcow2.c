/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-qcow2.c: the verdict on qcow2 images that the real qemu-img and qemu-io made, in every mode
 * of preallocation and after what happens to images, compared with what qemu-img says itself.
 */
#include <check.h>
#include <fcntl.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "probe/extents.h"
#include "probe/image.h"
#include "tests/scratch.h"

/* The image is i.qcow2. */
struct image_case {
    const char *script;
    enum preallocation verdict;
    guint version;       /* 0: 3 */
    guint cluster_size;  /* 0: 65536 */
    gboolean no_check;   /* qemu-img check does not apply or counts something else */
};

#define C "qemu-img create -q -f qcow2 "
#define IO "qemu-io -f qcow2 "
/* QEMU measures how fast it derives keys, and gives up ("Unable to get accurate CPU usage") on a
 * host that is busy: tried again. */
#define LUKS(options)                                                                             \
    "n=0; until " C "--object secret,id=s,data=pass -o encrypt.format=luks,"                      \
    "encrypt.key-secret=s,encrypt.iter-time=10" options "; "                                      \
    "do n=$((n + 1)); [ $n -lt 100 ]; sleep 0.2; done"

static const struct image_case cases[] = {
    /* As created. */
    { C "i.qcow2 64M", .verdict = PREALLOCATION_OFF },
    { C "-o preallocation=metadata i.qcow2 64M", .verdict = PREALLOCATION_METADATA },
    { C "-o preallocation=falloc i.qcow2 64M", .verdict = PREALLOCATION_FALLOC },
    { C "-o preallocation=full i.qcow2 64M", .verdict = PREALLOCATION_FULL },
    { C "-o compat=0.10 i.qcow2 64M", .verdict = PREALLOCATION_OFF, .version = 2 },
    { C "-o compat=0.10,preallocation=metadata i.qcow2 64M", .verdict = PREALLOCATION_METADATA,
      .version = 2 },
    { C "-o compat=0.10,preallocation=falloc i.qcow2 64M", .verdict = PREALLOCATION_FALLOC,
      .version = 2 },
    { C "-o compat=0.10,preallocation=full i.qcow2 64M", .verdict = PREALLOCATION_FULL,
      .version = 2 },
    { C "-o cluster_size=512,preallocation=metadata i.qcow2 16M",
      .verdict = PREALLOCATION_METADATA, .cluster_size = 512 },
    { C "-o cluster_size=512,preallocation=falloc i.qcow2 16M", .verdict = PREALLOCATION_FALLOC,
      .cluster_size = 512 },
    { C "-o cluster_size=4k,preallocation=metadata i.qcow2 64M",
      .verdict = PREALLOCATION_METADATA, .cluster_size = 4096 },
    { C "-o cluster_size=4k i.qcow2 64M", .verdict = PREALLOCATION_OFF, .cluster_size = 4096 },
    { C "-o cluster_size=2M,preallocation=metadata i.qcow2 64M",
      .verdict = PREALLOCATION_METADATA, .cluster_size = 2 << 20 },
    { C "-o cluster_size=2M,preallocation=falloc i.qcow2 64M", .verdict = PREALLOCATION_FALLOC,
      .cluster_size = 2 << 20 },
    { C "-o extended_l2=on,cluster_size=128k i.qcow2 64M", .verdict = PREALLOCATION_OFF,
      .cluster_size = 128 << 10 },
    { C "-o extended_l2=on,cluster_size=128k,preallocation=metadata i.qcow2 64M",
      .verdict = PREALLOCATION_METADATA, .cluster_size = 128 << 10 },
    { C "-o extended_l2=on,cluster_size=128k,preallocation=falloc i.qcow2 64M",
      .verdict = PREALLOCATION_FALLOC, .cluster_size = 128 << 10 },
    { C "-o lazy_refcounts=on,preallocation=metadata i.qcow2 64M",
      .verdict = PREALLOCATION_METADATA },
    { C "-o compression_type=zstd i.qcow2 64M", .verdict = PREALLOCATION_OFF },
    /* A size that is no whole number of clusters. */
    { C "-o preallocation=falloc i.qcow2 67109376", .verdict = PREALLOCATION_FALLOC },

    /* Encrypted: the tables are readable without the key. */
    { LUKS(" i.qcow2 64M"), .verdict = PREALLOCATION_OFF, .no_check = TRUE },
    { LUKS(",preallocation=metadata i.qcow2 64M"), .verdict = PREALLOCATION_METADATA,
      .no_check = TRUE },
    { LUKS(",preallocation=falloc i.qcow2 64M"), .verdict = PREALLOCATION_FALLOC,
      .no_check = TRUE },

    /* External data files. */
    { C "-o data_file=d.raw i.qcow2 64M", .verdict = PREALLOCATION_OFF },
    { C "-o data_file=d.raw,preallocation=metadata i.qcow2 64M",
      .verdict = PREALLOCATION_METADATA },
    { C "-o data_file=d.raw,preallocation=falloc i.qcow2 64M", .verdict = PREALLOCATION_FALLOC },
    { C "-o data_file=d.raw,preallocation=full i.qcow2 64M", .verdict = PREALLOCATION_FULL },
    { C "-o data_file=d.raw,data_file_raw=on i.qcow2 64M", .verdict = PREALLOCATION_METADATA },
    { C "-o data_file=d.raw,preallocation=falloc i.qcow2 64M; rm d.raw",
      .verdict = PREALLOCATION_UNKNOWN, .no_check = TRUE },

    /* Backing files. */
    { C "b.qcow2 64M; " C "-b b.qcow2 -F qcow2 i.qcow2", .verdict = PREALLOCATION_OVERLAY },
    { C "b.qcow2 64M; " C "-b b.qcow2 -F qcow2 -o extended_l2=on,cluster_size=128k,"
      "preallocation=metadata i.qcow2",
      .verdict = PREALLOCATION_METADATA, .cluster_size = 128 << 10 },

    /* Compressed. */
    { C "b.qcow2 64M; " IO "-c 'write -P 7 0 8M' b.qcow2; "
      "qemu-img convert -c -O qcow2 b.qcow2 i.qcow2",
      .verdict = PREALLOCATION_COMPRESSED, .no_check = TRUE },

    /* What guests and people do. */
    { C "i.qcow2 64M; " IO "-c 'write 0 64M' i.qcow2", .verdict = PREALLOCATION_FULL },
    { C "i.qcow2 64M; " IO "-c 'write 0 20M' i.qcow2", .verdict = PREALLOCATION_OFF },
    { C "i.qcow2 64M; " IO "-c 'write -z 0 64M' i.qcow2", .verdict = PREALLOCATION_OFF },
    { C "-o preallocation=metadata i.qcow2 64M; " IO "-c 'write 0 1M' i.qcow2",
      .verdict = PREALLOCATION_METADATA },
    { C "-o preallocation=metadata i.qcow2 64M; " IO "-c 'write 0 64M' i.qcow2",
      .verdict = PREALLOCATION_FULL },
    { C "-o preallocation=metadata i.qcow2 64M; "
      "fallocate -n -o 0 -l $(stat -c %s i.qcow2) i.qcow2",
      .verdict = PREALLOCATION_FALLOC },
    { C "-o preallocation=falloc i.qcow2 64M; " IO "-d unmap -c 'discard 0 12M' i.qcow2",
      .verdict = PREALLOCATION_DECAYED },
    { C "-o preallocation=falloc i.qcow2 64M; " IO "-d ignore -c 'discard 0 12M' i.qcow2",
      .verdict = PREALLOCATION_FALLOC },
    { C "-o preallocation=falloc i.qcow2 64M; " IO "-c 'write -z 0 16M' i.qcow2",
      .verdict = PREALLOCATION_FALLOC },
    { C "-o preallocation=falloc i.qcow2 64M; " IO "-d unmap -c 'write -z -u 0 16M' i.qcow2",
      .verdict = PREALLOCATION_DECAYED },
    { C "-o compat=0.10,preallocation=falloc i.qcow2 64M; "
      IO "-d unmap -c 'discard 0 12M' i.qcow2",
      .verdict = PREALLOCATION_DECAYED, .version = 2 },
    { C "-o extended_l2=on,cluster_size=128k,preallocation=falloc i.qcow2 64M; "
      IO "-d unmap -c 'discard 0 12M' i.qcow2",
      .verdict = PREALLOCATION_DECAYED, .cluster_size = 128 << 10 },
    { C "-o preallocation=falloc i.qcow2 64M; qemu-img snapshot -c one i.qcow2",
      .verdict = PREALLOCATION_SUSPENDED },
    { C "-o preallocation=falloc i.qcow2 64M; qemu-img snapshot -c one i.qcow2; "
      IO "-c 'write 0 20M' i.qcow2",
      .verdict = PREALLOCATION_SUSPENDED },
    { C "-o preallocation=falloc i.qcow2 64M; qemu-img snapshot -c one i.qcow2; "
      "qemu-img snapshot -d one i.qcow2",
      .verdict = PREALLOCATION_FALLOC },
    { C "i.qcow2 64M; qemu-img snapshot -c one i.qcow2", .verdict = PREALLOCATION_OFF },
    { C "-o preallocation=falloc i.qcow2 64M; qemu-img resize -q i.qcow2 128M",
      .verdict = PREALLOCATION_OFF },
    { C "-o preallocation=falloc i.qcow2 64M; qemu-img resize -q --preallocation=falloc "
      "i.qcow2 128M",
      .verdict = PREALLOCATION_FALLOC },
    { C "-o preallocation=falloc j.qcow2 64M; cp --sparse=always j.qcow2 i.qcow2",
      .verdict = PREALLOCATION_METADATA },
    { C "-o preallocation=falloc i.qcow2 64M; qemu-img bitmap --add i.qcow2 b",
      .verdict = PREALLOCATION_FALLOC },
};

/* tmpfs and others tell no extents: what is reserved then looks as if it were written. */
static enum preallocation
expected(const scratch *s, enum preallocation verdict)
{
    g_autofree char *path = scratch_path(s, "i.qcow2");
    struct extents extents;
    int fd = open(path, O_RDONLY);
    gboolean known = extents_read(fd, 1, G_MAXINT64, &extents);

    close(fd);
    return verdict == PREALLOCATION_FALLOC && !known ? PREALLOCATION_FULL : verdict;
}

static JsonNode *
json(const char *text)
{
    g_autoptr(GError) error = NULL;
    JsonNode *node = json_from_string(text, &error);

    ck_assert_msg(node != NULL, "%s", error ? error->message : text);
    return node;
}

/* The clusters that qemu-img check found in place are those that were counted. */
static void
compare_with_check(const scratch *s, const struct image_facts *facts)
{
    /* 2 would be corruption; leaks (3) are left by compressed and discarded clusters at times. */
    g_autofree char *text =
        scratch_output(s, "qemu-img check --output=json i.qcow2 || [ $? -eq 3 ]");
    g_autoptr(JsonNode) node = json(text);
    JsonObject *object = json_node_get_object(node);
    gint64 total = json_object_get_int_member(object, "total-clusters");
    gint64 allocated = json_object_get_int_member_with_default(object, "allocated-clusters", 0);

    ck_assert_int_eq(total, (gint64)((facts->virtual_size + facts->cluster_size - 1) /
                                     facts->cluster_size));
    ck_assert_int_eq(llround(facts->mapped * (double)total), allocated);
}

/* The same for the bytes that qemu-img map gives an offset for. */
static void
compare_with_map(const scratch *s, const struct image_facts *facts)
{
    g_autofree char *text = scratch_output(s, "qemu-img map --output=json i.qcow2");
    g_autoptr(JsonNode) node = json(text);
    JsonArray *array = json_node_get_array(node);
    gint64 placed = 0;

    for (guint i = 0; i < json_array_get_length(array); i++) {
        JsonObject *object = json_array_get_object_element(array, i);

        if (json_object_get_int_member(object, "depth") == 0 &&
            json_object_has_member(object, "offset"))
            placed += json_object_get_int_member(object, "length");
    }
    ck_assert_double_eq_tol(facts->mapped, (double)placed / (double)facts->virtual_size,
                            (double)facts->cluster_size / (double)facts->virtual_size);
}

START_TEST(real_image)
{
    const struct image_case *image = &cases[_i];
    g_auto(scratch) s = scratch_new();
    g_autofree char *path = scratch_path(&s, "i.qcow2");
    struct image_facts *facts;

    scratch_run(&s, "%s", image->script);
    facts = image_probe(path, NULL, G_MAXINT64);
    ck_assert_int_eq(facts->state, IMAGE_FILE);
    ck_assert_str_eq(facts->format, "qcow2");
    ck_assert_msg(facts->preallocation == expected(&s, image->verdict), "%s: %s, not %s (%s)",
                  image->script, preallocation_name(facts->preallocation),
                  preallocation_name(image->verdict), facts->preallocation_unknown);
    ck_assert_int_eq(facts->preallocation == PREALLOCATION_UNKNOWN,
                     facts->preallocation_unknown != NULL);
    ck_assert_uint_eq(facts->version, image->version ? image->version : 3);
    ck_assert_uint_eq(facts->cluster_size, image->cluster_size ? image->cluster_size : 65536);
    if (!image->no_check) {
        compare_with_check(&s, facts);
        /* Subclusters without data show through to the backing file, whatever their place. */
        if (!facts->backing_file)
            compare_with_map(&s, facts);
    }
    image_facts_free(facts);
}
END_TEST

/* ---- Images made by hand ----------------------------------------------------------------- */

enum {
    MADE_CLUSTER = 65536,
    MADE_CLUSTERS = 16,
    MADE_L1 = 1 * MADE_CLUSTER,
    MADE_L2 = 2 * MADE_CLUSTER,
    MADE_DATA = 3 * MADE_CLUSTER,
    MADE_LENGTH = (3 + MADE_CLUSTERS) * MADE_CLUSTER,
};

static void
put32(guint8 *bytes, gsize offset, guint32 value)
{
    value = GUINT32_TO_BE(value);
    memcpy(bytes + offset, &value, sizeof value);
}

static void
put64(guint8 *bytes, gsize offset, guint64 value)
{
    value = GUINT64_TO_BE(value);
    memcpy(bytes + offset, &value, sizeof value);
}

/* A version 3 image of 1 MiB with all clusters mapped. */
static guint8 *
make_image(void)
{
    guint8 *bytes = g_malloc0(MADE_LENGTH);

    memcpy(bytes, "QFI\xfb", 4);
    put32(bytes, 4, 3);
    put32(bytes, 20, 16);
    put64(bytes, 24, MADE_CLUSTERS * MADE_CLUSTER);
    put32(bytes, 36, 1);
    put64(bytes, 40, MADE_L1);
    put32(bytes, 96, 4);
    put32(bytes, 100, 104);
    put64(bytes, MADE_L1, (G_GUINT64_CONSTANT(1) << 63) | MADE_L2);
    for (guint64 i = 0; i < MADE_CLUSTERS; i++)
        put64(bytes, MADE_L2 + i * 8,
              (G_GUINT64_CONSTANT(1) << 63) | (MADE_DATA + i * MADE_CLUSTER));
    return bytes;
}

static struct image_facts *
probe_bytes(const scratch *s, const guint8 *bytes, gsize length)
{
    g_autofree char *path = scratch_path(s, "i.qcow2");

    scratch_write(s, "i.qcow2", bytes, (gssize)length);
    return image_probe(path, NULL, G_MAXINT64);
}

/* What was just written may still show as reserved, until the host flushes it. */
static void
assert_filled(const struct image_facts *facts)
{
    ck_assert_msg(facts->preallocation == PREALLOCATION_FALLOC ||
                      facts->preallocation == PREALLOCATION_FULL,
                  "%s: %s", preallocation_name(facts->preallocation),
                  facts->preallocation_unknown);
}

START_TEST(made_image)
{
    g_auto(scratch) s = scratch_new();
    g_autofree guint8 *bytes = make_image();
    struct image_facts *facts = probe_bytes(&s, bytes, MADE_LENGTH);

    /* The image that those below are made from by one change each is in order. */
    assert_filled(facts);
    ck_assert_int_eq(facts->direct_io != FACT_NO, TRUE);
    image_facts_free(facts);
}
END_TEST

/* One number of the image is changed. */
struct change {
    gsize offset;
    guint size;
    guint64 value;
    const char *reason; /* what must be in the reason that is given; NULL: it is all right */
};

static const struct change changes[] = {
    { 4, 4, 4, "version 4" },
    { 4, 4, 0xffffffff, "version" },
    { 8, 8, MADE_CLUSTER + 8, "backing" },
    { 8, 8, G_MAXUINT64, "backing" },
    { 20, 4, 8, "cluster size" },
    { 20, 4, 22, "cluster size" },
    { 20, 4, 0xffffffff, "cluster size" },
    { 24, 8, 0, "size of 0" },
    { 24, 8, G_MAXUINT64, "size is out of range" },
    { 24, 8, G_GUINT64_CONSTANT(1) << 40, "L1 table is too small" },
    { 32, 4, 3, "encryption" },
    { 36, 4, 0, "L1 table is too small" },
    { 36, 4, 0xffffffff, "L1 table is too large" },
    { 40, 8, MADE_L1 + 512, "L1 table lies outside" },
    { 40, 8, MADE_LENGTH, "L1 table lies outside" },
    { 40, 8, G_GUINT64_CONSTANT(0xffffffffffff0000), "L1 table lies outside" },
    { 60, 4, 65537, "snapshots" },
    { 64, 8, 0, NULL },
    { 72, 8, 0x80, "incompatible bits 0x80" },
    { 72, 8, G_GUINT64_CONSTANT(1) << 63, "incompatible bits 0x8000000000000000" },
    { 72, 8, 2, "corrupt" },
    { 72, 8, 1, NULL },
    { 72, 8, 4, "data file" },
    { 100, 4, 72, "header's length" },
    { 100, 4, MADE_CLUSTER + 8, "header's length" },
    { 104, 8, G_GUINT64_CONSTANT(0x12345678ffffffff), "extension" },
    { 104, 8, G_GUINT64_CONSTANT(0xe2792aca00001000), "name in the header" },
    { 104, 8, G_GUINT64_CONSTANT(0x1234567800000007), NULL },
    /* Tables that point out of the file, between clusters, or at each other. */
    { MADE_L1, 8, MADE_LENGTH, "L2 table lies outside" },
    { MADE_L1, 8, MADE_L2 + 512, "L2 table lies outside" },
    { MADE_L1, 8, G_GUINT64_CONSTANT(0x00ffffffffff0000), "L2 table lies outside" },
    { MADE_L2, 8, (G_GUINT64_CONSTANT(1) << 63) | MADE_LENGTH, "clusters lie outside" },
    { MADE_L2, 8, (G_GUINT64_CONSTANT(1) << 63) | (MADE_DATA + 512), "clusters lie outside" },
    /* Shared without a snapshot to share with. */
    { MADE_L2, 8, MADE_DATA, "no internal snapshots" },
};

START_TEST(malformed_image)
{
    const struct change *change = &changes[_i];
    g_auto(scratch) s = scratch_new();
    g_autofree guint8 *bytes = make_image();
    struct image_facts *facts;

    if (change->size == 4)
        put32(bytes, change->offset, (guint32)change->value);
    else
        put64(bytes, change->offset, change->value);
    facts = probe_bytes(&s, bytes, MADE_LENGTH);
    ck_assert_str_eq(facts->format, "qcow2");
    if (change->reason) {
        ck_assert_int_eq(facts->preallocation, PREALLOCATION_UNKNOWN);
        ck_assert_msg(strstr(facts->preallocation_unknown, change->reason) != NULL, "%s: %s",
                      change->reason, facts->preallocation_unknown);
    } else {
        assert_filled(facts);
    }
    image_facts_free(facts);
}
END_TEST

/* Cut off anywhere, an image is never taken for a good one, nor read beyond its end. */
START_TEST(truncated_image)
{
    static const gsize lengths[] = { 8, 71, 72, 103, 104, 111, 112, 512, MADE_L1, MADE_L1 + 4,
                                     MADE_L2, MADE_L2 + 64, MADE_DATA, MADE_DATA + MADE_CLUSTER };
    g_auto(scratch) s = scratch_new();
    g_autofree guint8 *bytes = make_image();
    struct image_facts *facts = probe_bytes(&s, bytes, lengths[_i]);

    ck_assert_int_eq(facts->state, IMAGE_FILE);
    ck_assert_int_eq(facts->preallocation, PREALLOCATION_UNKNOWN);
    ck_assert_ptr_nonnull(facts->preallocation_unknown);
    image_facts_free(facts);
}
END_TEST

START_TEST(flags_are_noted)
{
    g_auto(scratch) s = scratch_new();
    g_autofree guint8 *bytes = make_image();
    struct image_facts *facts;

    put64(bytes, 72, 3);
    put32(bytes, 32, 2);
    facts = probe_bytes(&s, bytes, MADE_LENGTH);
    ck_assert(facts->dirty);
    ck_assert(facts->corrupt);
    ck_assert(facts->encrypted);
    ck_assert(!facts->bitmaps);
    image_facts_free(facts);
}
END_TEST

/* Beyond the entries that the disk needs, the L1 table is a saved machine's. */
START_TEST(l1_entries_beyond_need)
{
    g_auto(scratch) s = scratch_new();
    g_autofree guint8 *bytes = make_image();
    struct image_facts *facts;

    put32(bytes, 36, 2);
    put64(bytes, MADE_L1 + 8, G_GUINT64_CONSTANT(0x00ffffffffff0000));
    facts = probe_bytes(&s, bytes, MADE_LENGTH);
    assert_filled(facts);
    image_facts_free(facts);
}
END_TEST

/* A small file that claims 64 TiB, each part of which it keeps at the same place: too large to
 * judge, and said soon; with one hole in the L1 table it is known not to be preallocated. */
START_TEST(hostile_tables)
{
    g_auto(scratch) s = scratch_new();
    guint64 entries = G_GUINT64_CONSTANT(64) * 1024 * 2; /* each maps 512 MiB */
    guint64 l1 = 1 << 20, l2 = 4 << 20, length = 8 << 20;
    g_autofree guint8 *bytes = g_malloc0(length);
    g_autofree guint8 *base = make_image();
    /* Processor time: however busy the machine is. */
    clock_t start = clock();
    struct image_facts *facts;

    memcpy(bytes, base, 112);
    put64(bytes, 24, entries * 512 * 1024 * 1024);
    put32(bytes, 36, (guint32)entries);
    put64(bytes, 40, l1);
    for (guint64 i = 0; i < entries; i++)
        put64(bytes, l1 + i * 8, (G_GUINT64_CONSTANT(1) << 63) | l2);
    for (guint64 i = 0; i < 8192; i++)
        put64(bytes, l2 + i * 8, (G_GUINT64_CONSTANT(1) << 63) | l2);
    facts = probe_bytes(&s, bytes, length);
    ck_assert_int_eq(facts->preallocation, PREALLOCATION_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(facts->preallocation_unknown, "too large to judge"));
    image_facts_free(facts);

    for (guint64 i = 0; i < 200; i++)
        put64(bytes, l1 + (entries - 1 - i) * 8, 0);
    facts = probe_bytes(&s, bytes, length);
    ck_assert_int_eq(facts->preallocation, PREALLOCATION_OFF);
    image_facts_free(facts);
    ck_assert_int_lt((clock() - start) / CLOCKS_PER_SEC, 60);
}
END_TEST

/* As many header extensions as there is room for. */
START_TEST(endless_extensions)
{
    g_auto(scratch) s = scratch_new();
    g_autofree guint8 *bytes = make_image();
    struct image_facts *facts;

    for (gsize offset = 104; offset + 8 <= MADE_CLUSTER; offset += 8)
        put64(bytes, offset, G_GUINT64_CONSTANT(0x1234567800000000));
    facts = probe_bytes(&s, bytes, MADE_LENGTH);
    ck_assert_int_eq(facts->preallocation, PREALLOCATION_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(facts->preallocation_unknown, "too many header extensions"));
    image_facts_free(facts);
}
END_TEST

/* A deadline in the past: the tables are not read, and what L1 alone tells is said. */
START_TEST(no_time)
{
    g_auto(scratch) s = scratch_new();
    g_autofree guint8 *bytes = make_image();
    g_autofree char *path = scratch_path(&s, "i.qcow2");
    struct image_facts *facts;

    scratch_write(&s, "i.qcow2", bytes, MADE_LENGTH);
    facts = image_probe(path, NULL, 0);
    ck_assert_int_eq(facts->preallocation, PREALLOCATION_UNKNOWN);
    image_facts_free(facts);
    put64(bytes, MADE_L1, 0);
    scratch_write(&s, "i.qcow2", bytes, MADE_LENGTH);
    facts = image_probe(path, NULL, 0);
    ck_assert_int_eq(facts->preallocation, PREALLOCATION_OFF);
    image_facts_free(facts);
}
END_TEST

/* ---- What else is in the header ---------------------------------------------------------- */

START_TEST(snapshot_names)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *path = scratch_path(&s, "i.qcow2");
    struct image_facts *facts;

    scratch_run(&s, C "i.qcow2 1M; for i in $(seq 40); do qemu-img snapshot -c snap-$i i.qcow2; "
                "done; qemu-img bitmap --add i.qcow2 b");
    facts = image_probe(path, NULL, G_MAXINT64);
    ck_assert_uint_eq(facts->snapshots, 40);
    ck_assert_uint_eq(g_strv_length(facts->snapshot_names), 32);
    ck_assert_str_eq(facts->snapshot_names[0], "snap-1");
    ck_assert_str_eq(facts->snapshot_names[31], "snap-32");
    ck_assert(facts->bitmaps);
    ck_assert(!facts->encrypted);
    image_facts_free(facts);
}
END_TEST

START_TEST(names_in_header)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *path = scratch_path(&s, "i.qcow2");
    struct image_facts *facts;

    scratch_run(&s, C "b.qcow2 1M; " C "-b b.qcow2 -F qcow2 -o data_file=d.raw i.qcow2");
    facts = image_probe(path, NULL, G_MAXINT64);
    ck_assert_str_eq(facts->backing_file, "b.qcow2");
    ck_assert_str_eq(facts->backing_format, "qcow2");
    ck_assert_str_eq(facts->data_file, "d.raw");
    ck_assert_uint_eq(facts->virtual_size, 1 << 20);
    image_facts_free(facts);
    scratch_run(&s, "rm i.qcow2; " LUKS(" i.qcow2 1M"));
    facts = image_probe(path, NULL, G_MAXINT64);
    ck_assert(facts->encrypted);
    ck_assert_ptr_null(facts->backing_file);
    ck_assert_ptr_null(facts->data_file);
    image_facts_free(facts);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("qcow2");
    TCase *real = tcase_create("images of qemu-img"), *made = tcase_create("images made by hand");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(real, 300);
    tcase_add_loop_test(real, real_image, 0, G_N_ELEMENTS(cases));
    tcase_add_test(real, snapshot_names);
    tcase_add_test(real, names_in_header);
    suite_add_tcase(suite, real);
    tcase_set_timeout(made, 600);
    tcase_add_test(made, made_image);
    tcase_add_loop_test(made, malformed_image, 0, G_N_ELEMENTS(changes));
    tcase_add_loop_test(made, truncated_image, 0, 14);
    tcase_add_test(made, flags_are_noted);
    tcase_add_test(made, l1_entries_beyond_need);
    tcase_add_test(made, hostile_tables);
    tcase_add_test(made, endless_extensions);
    tcase_add_test(made, no_time);
    suite_add_tcase(suite, made);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
