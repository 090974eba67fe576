package money_test

import (
	"encoding/json"
	"testing"

	"example.org/gridbill/money"
)

func TestParse(t *testing.T) {
	for text, wanted := range map[string]money.Amount{"0": 0, "12": 12 * money.Euro, "0.3147": 314_700, "-1.5": -150 * money.Cent} {
		if found, err := money.Parse(text); err != nil || found != wanted {
			t.Errorf("%s: %d, %v", text, found, err)
		}
	}
	for _, text := range []string{"", "-", ".5", "1,5", "1.2345678"} {
		if found, err := money.Parse(text); err == nil {
			t.Errorf("%q: %d", text, found)
		}
	}
}

func TestRound(t *testing.T) {
	for amount, wanted := range map[money.Amount]money.Amount{5_000: 0, 5_001: 10_000, 15_000: 20_000, -5_000: 0, -15_000: -20_000} {
		if found := amount.Round(); found != wanted {
			t.Errorf("%d rounds to %d, wanted %d", amount, found, wanted)
		}
	}
	if found := (99 * money.Cent).Percent(1900); found != 19*money.Cent {
		t.Errorf("19%% of 0.99: %s", found)
	}
	if found := (50 * money.Cent).Percent(100); found != 0 {
		t.Errorf("1%% of 0.50: %s", found)
	}
	if found := (150 * money.Cent).Percent(100); found != 2*money.Cent {
		t.Errorf("1%% of 1.50: %s", found)
	}
}

func TestText(t *testing.T) {
	text, err := json.Marshal(map[string]money.Amount{"price": 314_700})
	if err != nil || string(text) != `{"price":"0.3147"}` {
		t.Fatalf("%s, %v", text, err)
	}
	var read map[string]money.Amount
	if err := json.Unmarshal(text, &read); err != nil || read["price"] != 314_700 {
		t.Fatalf("%v, %v", read, err)
	}
}
