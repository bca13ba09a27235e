package turnpike

import (
	_ "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
	_ "github.com/ethereum/go-ethereum/ethclient/simulated"
	_ "github.com/ethereum/go-ethereum/accounts/abi/bind"
	_ "github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/danielgtaylor/huma/v2"
	_ "github.com/danielgtaylor/huma/v2/adapters/humago"
	_ "github.com/golang-jwt/jwt/v5"
	_ "github.com/pressly/goose/v3"
	_ "gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/memblob"
	_ "github.com/JohannesKaufmann/html-to-markdown/v2"
	_ "github.com/nlnwa/whatwg-url/url"
	_ "pgregory.net/rapid"
	_ "cel.dev/cel-go/cel"
	_ "github.com/spf13/cobra"
	_ "github.com/prometheus/client_golang/prometheus"
	_ "github.com/PuerkitoBio/goquery"
	_ "github.com/google/uuid"
	_ "github.com/maypok86/otter/v2"
)
