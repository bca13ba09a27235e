// Command turnpike-dev runs everything on one machine: a private Postgres, a development chain, a sample site, the backend and
// the edge, all in this process. `turnpike dev` starts it.
//
// It is a program of its own because of the chain: what one deploys is smaller without it, and cannot start it.
package main
