// Package load has the load generator and the upstream of the benchmark, each a process of its own. They speak HTTP/1.1
// over epoll with as few instructions as possible, which leaves the rest of their core to Postgres.
package load
