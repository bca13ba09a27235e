// Package apikey has the modules that check a request's API key and find the team that it belongs to.
package apikey
