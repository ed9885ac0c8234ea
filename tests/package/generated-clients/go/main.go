// Plays a basket with the client of oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"

	"clients/estate"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	withToken := estate.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("ESTATE_BEARER_TOKEN"))
		return nil
	})
	client, err := estate.NewClientWithResponses(os.Getenv("ESTATE_URL"), withToken)
	must(err)
	ctx := context.Background()
	var body estate.CreateBasketApiJSONRequestBody
	must(json.NewDecoder(strings.NewReader(`{"channel":"web","lines":[{"sku":"mug-blue","qty":1}]}`)).Decode(&body))
	basket, err := client.CreateBasketApiWithResponse(ctx, nil, body)
	must(err)
	fmt.Println("oapi-codegen", basket.JSON201.State)
	absent, err := client.GetProductApiWithResponse(ctx, "no-such-thing", nil)
	must(err)
	fmt.Println("oapi-codegen", absent.ApplicationproblemJSON404.Code)
}
