package rules

import (
	"golang.org/x/net/html"

	"github.com/turnpike-edge/turnpike/backend/page/extract/selector"
)

// visibleLabels are the labels that shops write before a value, in the most common languages.
var visibleLabels = map[string][]string{
	"brand":        {"brand", "manufacturer", "marke", "hersteller", "marque", "marca"},
	"sku":          {"sku", "item number", "item no.", "product code", "artikelnummer", "artikel-nr.", "art.-nr.", "référence", "referencia"},
	"mpn":          {"mpn", "model number", "part number", "modellnummer"},
	"gtin":         {"gtin", "ean", "upc", "isbn", "isbn-13", "barcode"},
	"availability": {"availability", "verfügbarkeit", "disponibilité", "disponibilidad"},
	"condition":    {"condition", "zustand", "état", "estado"},
}

// priceSelectors find the price in shops' markup, the most reliable first.
var priceSelectors = []string{
	"[itemprop=price]", "[data-price]", "[class~=price]", "[id=price]", "[class*=product-price]", "[class*=price-current]",
	"[class*=current-price]", "[class*=price__]", "[class*=price-]",
}

// visible reads data that is only in the visible text.
func (p *product) visible() error {
	if p.run.root == nil {
		return nil
	}
	for _, name := range []string{"brand", "sku", "mpn", "gtin", "availability", "condition"} {
		if p.fields[name] != nil {
			continue
		}
		for _, label := range visibleLabels[name] {
			found, err := labelSource(label).find(p.run, nil, false)
			if err != nil {
				return err
			}
			if len(found) == 0 {
				continue
			}
			text, _ := found[0].(string)
			p.set(name, visibleValue(name, text))
		}
	}
	if err := p.visibleName(); err != nil {
		return err
	}
	return p.visiblePrice()
}

func visibleValue(name, text string) any {
	switch name {
	case "gtin":
		return gtin(text)
	case "availability":
		return availabilityOf(text)
	case "condition":
		return conditionOf(text)
	}
	if len(text) > labelBytesMax {
		return nil
	}
	return textOrNil(text)
}

func (p *product) visibleName() error {
	if p.fields["name"] != nil {
		return nil
	}
	heading, err := p.first("h1")
	if err != nil || heading == nil {
		return err
	}
	name, err := p.run.lines(heading)
	p.set("name", textOrNil(fold(name)))
	return err
}

func (p *product) visiblePrice() error {
	if p.fields["price"] != nil {
		return nil
	}
	for _, css := range priceSelectors {
		n, err := p.first(css)
		if err != nil {
			return err
		}
		if n == nil {
			continue
		}
		text, err := p.run.lines(n)
		if err != nil {
			return err
		}
		currency := currencyOf(text)
		for _, candidate := range []string{attrOf(n, "content"), attrOf(n, "data-price"), text} {
			price, ok := parseNumber(candidate, &p.run.numbers)
			if !ok || (currency == "" && candidate == text) {
				continue // a number without a currency may be anything
			}
			p.fields["price"], p.fields["price_min"], p.fields["price_max"] = price, price, price
			p.set("currency", textOrNil(currency))
			return nil
		}
	}
	return nil
}

// first returns the first element that css matches, or nil.
func (p *product) first(css string) (*html.Node, error) {
	s, err := selector.Compile(css)
	if err != nil {
		return nil, err
	}
	found, err := s.Match(p.run.root, selector.First, p.run.budget.step)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}
