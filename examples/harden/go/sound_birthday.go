// A nightly job gives 50 points to each of three members who have a birthday, and orders a mug for the first one as a gift.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"
)

type answer struct {
	ID, State     string
	PointsBalance int
	Retryable     bool
}

var client = http.Client{Timeout: 4 * time.Second}

func try(path, key string, text []byte) (to answer, status int, err error) {
	request, err := http.NewRequest("POST", os.Getenv("ESTATE_URL")+path, bytes.NewReader(text))
	if err != nil {
		return to, 0, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ESTATE_BEARER_TOKEN"))
	request.Header.Set("X-Rehearsal", os.Getenv("ESTATE_REHEARSAL"))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	response, err := client.Do(request)
	if err != nil {
		return to, 0, err
	}
	defer response.Body.Close()
	err = json.NewDecoder(response.Body).Decode(&to)
	return to, response.StatusCode, err
}

// Tries a call up to four times, with one key.
func post(path string, body any) answer {
	text, _ := json.Marshal(body)
	key := rand.Text()
	for attempt := 1; ; attempt++ {
		to, status, err := try(path, key, text)
		if err == nil && status < 300 {
			return to
		}
		if attempt == 4 || status >= 400 && status < 500 && status != 429 && !to.Retryable {
			log.Fatal(path, ": ", status, " ", err)
		}
		time.Sleep(time.Duration(attempt) * 200 * time.Millisecond)
	}
}

func main() {
	time.AfterFunc(18*time.Second, func() { log.Fatal("The job took too long.") })
	view := map[string]any{}
	for _, member := range []string{"loy_ada", "loy_clara", "loy_dmitri"} {
		view[member] = post("/loyalty/accounts/"+member+"/points", map[string]any{"points": 50, "reason": "birthday"}).PointsBalance
	}
	lines := []any{map[string]any{"sku": "mug-blue", "qty": 1}}
	address := map[string]any{"name": "Ada Byrne", "line1": "1 Quay Street", "city": "Galway", "postalCode": "H91", "country": "IE"}
	basket := post("/baskets", map[string]any{"channel": "web", "customerId": "cus_ada", "lines": lines})
	post("/baskets/"+basket.ID+"/checkout", map[string]any{"shippingAddress": address})
	id := post("/orders", map[string]any{"basketId": basket.ID}).ID
	post("/payments/authorizations", map[string]any{"orderId": id, "tender": map[string]any{"type": "card", "token": "tok_visa"}})
	view["order"] = post("/orders/"+id+"/confirm", map[string]any{}).State
	if view["order"] != "confirmed" {
		log.Fatal(fmt.Sprint("The order is ", view["order"]))
	}
	if file := os.Getenv("CHECK_FILE"); file != "" {
		text, _ := json.Marshal(view)
		os.WriteFile(file, text, 0o644)
	}
}
