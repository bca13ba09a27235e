//go:build !unix || aix || solaris

package transport

import "net"

// canProbe is false where an idle connection cannot be checked. This transport then takes no request: unexpected bytes
// from an upstream would be read as the next response.
const canProbe = false

type probe struct{}

func (*probe) init(net.Conn) {}

func (*probe) works() bool { return false }

func (*probe) quiet() bool { return false }
