//go:build !unix || aix || solaris

package transport

import "net"

// canProbe: where a kept connection cannot be looked at, nothing is sent here at all. What an
// upstream sends unasked would be taken for the next response.
const canProbe = false

type probe struct{}

func (*probe) init(net.Conn) {}

func (*probe) works() bool { return false }

func (*probe) quiet() bool { return false }
