package reload

import (
	"errors"

	"github.com/caddyserver/caddy/v2"
)

// Pool keeps what outlives a configuration, keyed by the values it was made from. So a reload finds its connections,
// meters and price books again.
var Pool = caddy.NewUsagePool()

// HoldPooled adds a reference to an entry of the pool.
func HoldPooled(key any) (release func() error) {
	_, _, err := Pool.LoadOrNew(key, func() (caddy.Destructor, error) { return nil, errors.New("pool entry is not in use") })
	if err != nil {
		return func() error { return err }
	}
	return func() error {
		_, err := Pool.Delete(key)
		return err
	}
}
