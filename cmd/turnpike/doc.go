// Command turnpike is Caddy with Turnpike's modules and subcommands: the edge (`turnpike run`), the backend, and the operator's
// tools. It is what one deploys. `turnpike dev` starts another program, cmd/turnpike-dev.
//
// This package only wires the parts: it reads the environment and flags, creates the parts and connects them.
package main
