import { addressOf, type CodeCall } from "./code-call.ts"

/** The call as a program for Go without any module. */
export function toGo(call: CodeCall): string {
  const isPost = call.method === "POST"
  const body = isPost ? `\tbody := strings.NewReader(${quote(JSON.stringify(call.input))})\n` : ""
  const type = isPost ? '\trequest.Header.Set("content-type", "application/json")\n' : ""
  return `package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
${isPost ? '\t"strings"\n' : ""})

func main() {
${body}	request, err := http.NewRequest(${JSON.stringify(call.method)}, ${quote(addressOf(call))}, ${isPost ? "body" : "nil"})
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("x-api-key", ${quote(call.key)})
${type}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		log.Fatal(string(answer))
	}
	fmt.Println(string(answer))
}
`
}

/** A raw string reads better, but cannot hold a backtick, a return or a zero byte (Go specification, String literals). */
function quote(text: string): string {
  const isLong = text.includes('"') && !/[`\r\0\ufeff]/.test(text)
  return isLong ? `\`${text}\`` : JSON.stringify(text)
}
