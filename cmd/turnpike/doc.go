// Command turnpike is Caddy with Turnpike's modules and subcommands: the edge (`turnpike run`), the backend, both
// together for development, and the operator's tools.
//
// This package only wires the parts: it reads the environment and flags, creates the parts and connects them.
package main
