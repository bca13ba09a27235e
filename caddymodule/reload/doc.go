// Package reload keeps shared state from one configuration of Caddy to the next.
//
// A module gets its state from the [Pool], under a key of the values that the state was made from, and releases it when the
// module is cleaned up. What requests still use then is closed after the last of them has ended ([Uses]).
package reload
