// A kiosk in a store orders two mugs for a customer. The receipt has the number of the order, or a regret.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"
)

type answer struct{ ID, OrderID, State string }

var client = http.Client{Timeout: 5 * time.Second}

func post(path string, body any) (to answer) {
	text, _ := json.Marshal(body)
	request, _ := http.NewRequest("POST", os.Getenv("ESTATE_URL")+path, bytes.NewReader(text))
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ESTATE_BEARER_TOKEN"))
	request.Header.Set("X-Rehearsal", os.Getenv("ESTATE_REHEARSAL"))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", rand.Text())
	response, err := client.Do(request)
	if err == nil && response.StatusCode < 300 {
		err = json.NewDecoder(response.Body).Decode(&to)
	} else if err == nil {
		err = fmt.Errorf("POST %s: %s", path, response.Status)
	}
	if err != nil {
		fmt.Println("We are sorry. There is no order.", err)
		os.Exit(1)
	}
	return to
}

func main() {
	lines := []any{map[string]any{"sku": "mug-blue", "qty": 2}}
	address := map[string]any{"name": "Ada Byrne", "line1": "1 Quay Street", "city": "Galway", "postalCode": "H91", "country": "IE"}
	basket := post("/baskets", map[string]any{"channel": "web", "customerId": "cus_ada", "lines": lines})
	id := post("/baskets/"+basket.ID+"/checkout", map[string]any{"placeOrder": true, "shippingAddress": address}).OrderID
	post("/payments/authorizations", map[string]any{"orderId": id, "tender": map[string]any{"type": "card", "token": "tok_visa"}})
	order := post("/orders/"+id+"/confirm", map[string]any{})
	view, _ := json.Marshal(map[string]string{"order": order.State})
	if file := os.Getenv("CHECK_FILE"); file != "" {
		os.WriteFile(file, view, 0o644)
	}
}
