/*
 * The floor: a UDP responder for DNS without any lookup. It answers every query in place with one fixed A record,
 * in batches of 64 with one system call for receiving and one for sending, so its cost is the cost of the kernel.
 * No real server can be much cheaper on the same machine. With an address and a TTL it is also an upstream that is never
 * the bottleneck.
 *
 *     floor PORT [ADDRESS [TTL]]
 *
 * It listens on 127.0.0.1 only and prints the port, which matters when PORT is 0.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
    BATCH = 64,
    HEADER = 12,
    QUERY_MAX = 512,
    RECORD = 16,
};

static uint8_t packets[BATCH][QUERY_MAX + RECORD];
static struct sockaddr_in peers[BATCH];
static struct iovec parts[BATCH];
static struct mmsghdr incoming[BATCH];
static struct mmsghdr outgoing[BATCH];

/* The name is a pointer to the one in the question (RFC 1035, 4.1.4); type A, class IN; TTL and address follow. */
static uint8_t record[RECORD] = {0xc0, HEADER, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0};

static int fail(const char *what)
{
    fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
    return 1;
}

/* The end of the only question of a query; 0 if the packet is not answered. */
static size_t question_end(const uint8_t *packet, size_t size)
{
    const uint8_t one_question[2] = {0, 1};
    size_t at = HEADER;

    if (size <= HEADER || (packet[2] & 0x80) || memcmp(packet + 4, one_question, 2) != 0)
        return 0;
    while (at < size && packet[at] != 0) {
        if (packet[at] > 63)
            return 0;
        at += 1u + packet[at];
    }
    at += 1 + 4;
    return at <= size ? at : 0;
}

/* Turns a query into its answer and returns the size of the answer. */
static size_t answer(uint8_t *packet, size_t size)
{
    const uint8_t counts[6] = {0, 1, 0, 0, 0, 0};
    const size_t end = question_end(packet, size);

    if (end == 0)
        return 0;
    packet[2] = 0x80 | (packet[2] & 0x79); /* QR; opcode and RD as they came */
    packet[3] = 0x80;                      /* RA, NOERROR */
    memcpy(packet + 6, counts, sizeof counts);
    memcpy(packet + end, record, RECORD);
    return end + RECORD;
}

static void aim(struct mmsghdr *message, int slot, size_t size)
{
    parts[slot] = (struct iovec){packets[slot], size};
    message->msg_hdr = (struct msghdr){
        .msg_name = &peers[slot],
        .msg_namelen = sizeof peers[slot],
        .msg_iov = &parts[slot],
        .msg_iovlen = 1,
    };
}

static int read_batch(int fd)
{
    for (int slot = 0; slot < BATCH; slot++)
        aim(&incoming[slot], slot, QUERY_MAX);
    return recvmmsg(fd, incoming, BATCH, MSG_WAITFORONE, NULL);
}

/* A packet that the kernel does not accept is lost, as any datagram may be. */
static void send_batch(int fd, int count)
{
    for (int sent = 0; sent < count;) {
        const int now = sendmmsg(fd, outgoing + sent, (unsigned)(count - sent), 0);
        sent += now > 0 ? now : 1;
    }
}

static int serve(int fd)
{
    for (;;) {
        const int count = read_batch(fd);
        int answers = 0;

        if (count < 0 && errno != EINTR)
            return fail("recvmmsg");
        for (int slot = 0; slot < count; slot++) {
            const size_t size = answer(packets[slot], incoming[slot].msg_len);
            if (size > 0)
                aim(&outgoing[answers++], slot, size);
        }
        send_batch(fd, answers);
    }
}

static int listen_on(uint16_t port)
{
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t length = sizeof local;

    local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (struct sockaddr *)&local, length) < 0)
        return -1;
    if (getsockname(fd, (struct sockaddr *)&local, &length) < 0)
        return -1;
    printf("%d\n", ntohs(local.sin_port));
    fflush(stdout);
    return fd;
}

int main(int argc, char **argv)
{
    const uint32_t ttl = htonl(argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 60);
    int fd;

    if (argc < 2 || argc > 4 || inet_pton(AF_INET, argc > 2 ? argv[2] : "192.0.2.1", record + 12) != 1) {
        fprintf(stderr, "usage: floor PORT [ADDRESS [TTL]]\n");
        return 2;
    }
    memcpy(record + 6, &ttl, sizeof ttl);
    fd = listen_on((uint16_t)strtoul(argv[1], NULL, 10));
    return fd < 0 ? fail("cannot listen") : serve(fd);
}
