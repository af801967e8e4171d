/**
 * The secret that signs webhooks to the URL of `--webhook`, the same for every test double: a receiver under test can have it in
 * its settings. 32 bytes in base64, as Standard Webhooks asks.
 */
export const mockWebhookSecret = "whsec_cGVua25pZmUtbW9jay13ZWJob29rLXNlY3JldC0zMmI="
