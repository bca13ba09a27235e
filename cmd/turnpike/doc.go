// Command turnpike is Caddy with Turnpike's modules and subcommands: the edge
// (`turnpike run`), the backend, both of them together for development, and the
// operator's tools.
//
// This package wires: it reads the environment and flags, makes the parts, and
// hands them to each other. What the parts do is theirs.
package main
