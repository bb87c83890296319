/* The floor: what a client pays the kernel for its round trips, and nothing else. It sends one fixed
 * request (depth of them at a time) on every connection and counts bytes; it looks at none of them.
 *
 *     floor PORT CONNECTIONS DEPTH SECONDS REPLY_BYTES     prints the number of replies
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

static const char request[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

static void fail(const char *what) {
	perror(what);
	exit(1);
}

static double seconds(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static int dial(int port) {
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0) fail("socket");
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on)) fail("setsockopt");
	if (connect(fd, (struct sockaddr *)&to, sizeof to)) fail("connect");
	return fd;
}

int main(int argc, char **argv) {
	if (argc != 6) {
		fprintf(stderr, "usage: floor PORT CONNECTIONS DEPTH SECONDS REPLY_BYTES\n");
		return 2;
	}
	int port = atoi(argv[1]), connections = atoi(argv[2]), depth = atoi(argv[3]);
	double length = atof(argv[4]);
	long batch = atol(argv[5]) * depth, replies = 0;
	size_t one = sizeof request - 1, all = one * depth;
	char *out = malloc(all), *in = malloc(256 << 10);
	int *fds = calloc(connections, sizeof *fds), set = epoll_create1(0);
	long *got = calloc(connections, sizeof *got);
	struct epoll_event events[512];
	if (!out || !in || !fds || !got) fail("malloc");
	for (int i = 0; i < depth; i++) memcpy(out + i * one, request, one);
	for (int i = 0; i < connections; i++) {
		struct epoll_event on = {.events = EPOLLIN | EPOLLET, .data.u32 = i};
		fds[i] = dial(port);
		if (epoll_ctl(set, EPOLL_CTL_ADD, fds[i], &on)) fail("epoll_ctl");
	}
	for (int i = 0; i < connections; i++)
		if (send(fds[i], out, all, MSG_NOSIGNAL) != (ssize_t)all) fail("send");
	for (double end = seconds() + length; seconds() < end;) {
		int n = epoll_wait(set, events, 512, 100);
		for (int k = 0; k < n; k++) {
			int i = events[k].data.u32;
			ssize_t r = recv(fds[i], in, 256 << 10, MSG_DONTWAIT);
			if (r < 0 && errno == EAGAIN) continue;
			if (r <= 0) fail("recv");
			for (got[i] += r; got[i] >= batch; got[i] -= batch) {
				replies += depth;
				if (send(fds[i], out, all, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)all) fail("send");
			}
		}
	}
	printf("%ld\n", replies);
	return 0;
}
