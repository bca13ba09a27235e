package rules

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"golang.org/x/net/html"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/clip"
)

// textOf is the first text among an item's properties; a nested item counts as its name.
func textOf(item *extract.Item, names ...string) string {
	for _, name := range names {
		if name == "@id" && item.ID != "" {
			return item.ID
		}
		for _, value := range item.Properties[name] {
			if inner, ok := value.(*extract.Item); ok {
				value = itemText(inner)
			}
			if value == nil {
				continue
			}
			if text := strings.TrimSpace(fmt.Sprint(value)); text != "" {
				return text
			}
		}
	}
	return ""
}

func itemsOf(item *extract.Item, name string) []*extract.Item {
	var items []*extract.Item
	for _, value := range item.Properties[name] {
		if inner, ok := value.(*extract.Item); ok {
			items = append(items, inner)
		}
	}
	return items
}

// plainOf is the text of a description that contains markup.
func plainOf(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return s
	}
	var out strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return out.String()
		case html.TextToken:
			out.Write(z.Text())
		default:
			out.WriteByte(' ')
		}
	}
}

// machineNumber parses a number with a decimal point, as schema.org requires; numbers in other notations are parsed, too.
func machineNumber(s string) (json.Number, bool) {
	return parseNumber(s, &numberOptions{})
}

func lessNumber(a, b json.Number) bool {
	x, okX := new(big.Rat).SetString(a.String())
	y, okY := new(big.Rat).SetString(b.String())
	return okX && okY && x.Cmp(y) < 0
}

func currencyCodeOf(s string) any { return textOrNil(currencyOf(s)) }

// gtinOf is the first GS1 identifier with a valid length (GS1 General Specifications, 2.1).
func gtinOf(item *extract.Item) any {
	for _, name := range []string{"gtin", "gtin13", "gtin14", "gtin12", "gtin8", "isbn"} {
		if code := gtin(textOf(item, name)); code != nil {
			return code
		}
	}
	return nil
}

func gtin(s string) any {
	var digits strings.Builder
	for _, c := range asciiDigits(s) {
		switch {
		case isDigit(c), c == 'X' && digits.Len() == 9: // the check character of an ISBN-10
			digits.WriteRune(c)
		case c == ' ' || c == '-':
		default:
			return nil
		}
	}
	switch digits.Len() {
	case 8, 10, 12, 13, 14:
		return digits.String()
	}
	return nil
}

// availabilities are the terms of schema.org, OpenGraph and shops, without spaces, in lower case.
var availabilities = map[string]string{
	"instock": "in_stock", "available": "in_stock", "availableforsale": "in_stock", "auflager": "in_stock", "sofortlieferbar": "in_stock",
	"lieferbar": "in_stock", "enstock": "in_stock", "limitedavailability": "limited", "lowstock": "limited", "presale": "preorder",
	"preorder": "preorder", "availablefororder": "backorder", "backorder": "backorder", "madetoorder": "made_to_order",
	"instoreonly": "in_store_only", "onlineonly": "online_only", "outofstock": "out_of_stock", "oos": "out_of_stock",
	"unavailable": "out_of_stock", "notavailable": "out_of_stock", "ausverkauft": "sold_out", "soldout": "sold_out",
	"discontinued": "discontinued", "reserved": "reserved",
}

func availabilityOf(s string) any {
	if word, ok := availabilities[word(s)]; ok {
		return word
	}
	return nil
}

var conditions = map[string]string{
	"newcondition": "new", "new": "new", "usedcondition": "used", "used": "used", "refurbishedcondition": "refurbished",
	"refurbished": "refurbished", "damagedcondition": "damaged", "damaged": "damaged", "neu": "new", "gebraucht": "used",
}

func conditionOf(s string) any {
	if word, ok := conditions[word(s)]; ok {
		return word
	}
	return nil
}

// word normalizes a vocabulary's term, or a few words on a page.
func word(s string) string {
	return strings.Map(func(c rune) rune {
		if c == ' ' || c == '_' || c == '-' || c == '.' || c == '!' {
			return -1
		}
		return c
	}, strings.ToLower(bareType(fold(clip.Bytes(s, labelBytesMax)))))
}

func ratingOf(item *extract.Item) any {
	for _, rating := range itemsOf(item, "aggregateRating") {
		out := map[string]any{"value": nil, "count": nil, "best": nil}
		if n, ok := machineNumber(textOf(rating, "ratingValue")); ok {
			out["value"] = n
		}
		if n, ok := parseInteger(textOf(rating, "ratingCount", "reviewCount"), &numberOptions{}); ok && !strings.HasPrefix(n.String(), "-") {
			out["count"] = n
		}
		if n, ok := machineNumber(textOf(rating, "bestRating")); ok {
			out["best"] = n
		}
		if out["value"] != nil || out["count"] != nil {
			return out
		}
	}
	return nil
}
