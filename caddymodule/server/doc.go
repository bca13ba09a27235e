// Package server connects Caddy's HTTP servers with their clients and their upstreams.
//
// Sockets and idle connections stay open when the configuration is reloaded, and a request that is arriving at that moment
// is waited for. The transport `direct` sends requests to upstreams.
package server
