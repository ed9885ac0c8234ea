package estate

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

type object = map[string]any

var address = object{"name": "Ada", "line1": "1 Quay Street", "city": "Galway", "postalCode": "H91", "country": "IE"}

// startEstate returns the gateway's address.
func startEstate(t *testing.T) string {
	t.Helper()
	image := os.Getenv("ESTATE_IMAGE")
	if image == "" {
		image = "unified-commerce-estate:local"
	}
	estate, err := testcontainers.Run(context.Background(), image,
		testcontainers.WithExposedPorts("8080/tcp"),
		testcontainers.WithEnv(map[string]string{"ALLOW_DEMO_CREDENTIALS": "true"}),
		testcontainers.WithWaitStrategy(wait.ForHTTP("/readyz").WithPort("8080/tcp")),
	)
	testcontainers.CleanupContainer(t, estate)
	if err != nil {
		t.Fatal(err)
	}
	gateway, err := estate.PortEndpoint(context.Background(), "8080/tcp", "http")
	if err != nil {
		t.Fatal(err)
	}
	return gateway
}

// A rehearsal is a freshly seeded world. Its bearer token reaches no other.
type rehearsal struct {
	t                     *testing.T
	gateway, name, bearer string
}

func newRehearsal(t *testing.T, gateway, name string) *rehearsal {
	t.Helper()
	world := &rehearsal{t: t, gateway: gateway}
	created := world.control("POST", "/rehearsals", object{"name": name})
	world.name = name
	world.bearer = created["credentials"].(object)["bearer"].(string)
	t.Cleanup(func() { world.control("DELETE", "/rehearsals/"+name, nil) })
	return world
}

func (r *rehearsal) api(method, path string, body object) object {
	r.t.Helper()
	return r.send(method, r.gateway+path, r.bearer, body)
}

func (r *rehearsal) control(method, path string, body object) object {
	r.t.Helper()
	return r.send(method, r.gateway+"/_control"+path, "demo-control-token", body)
}

func (r *rehearsal) send(method, url, bearer string, body object) object {
	r.t.Helper()
	var text bytes.Buffer
	if body != nil {
		json.NewEncoder(&text).Encode(body)
	}
	request, _ := http.NewRequest(method, url, &text)
	request.Header.Set("Authorization", "Bearer "+bearer)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if r.name != "" {
		request.Header.Set("X-Rehearsal", r.name)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	answer := object{}
	json.NewDecoder(response.Body).Decode(&answer)
	if response.StatusCode >= 300 {
		r.t.Fatalf("%s %s: %d %v", method, url, response.StatusCode, answer["detail"])
	}
	return answer
}

func TestAPaidOrderIsConfirmed(t *testing.T) {
	world := newRehearsal(t, startEstate(t), "paid-order")

	lines := []object{{"sku": "mug-blue", "qty": 2}}
	basket := world.api("POST", "/baskets", object{"channel": "web", "customerId": "cus_ada", "lines": lines})
	basketID := basket["id"].(string)
	world.api("POST", "/baskets/"+basketID+"/checkout", object{"shippingAddress": address})
	orderID := world.api("POST", "/orders", object{"basketId": basketID})["id"].(string)
	world.api("POST", "/payments/authorizations", object{"orderId": orderID, "tender": object{"type": "card", "token": "tok_visa"}})
	world.api("POST", "/orders/"+orderID+"/confirm", object{})

	world.control("POST", "/clock/advance", object{"by": "PT1H"})

	events := world.control("GET", "/events?type=order-confirmed&subject=order/"+orderID, nil)
	if found := len(events["items"].([]any)); found != 1 {
		t.Errorf("%d events instead of one", found)
	}
	if world.control("GET", "/verify", nil)["holds"] != true {
		t.Error("stock, money or events do not agree")
	}
}
