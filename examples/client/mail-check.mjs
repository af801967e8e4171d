// A part of an application that calls the service. The other examples test it.

/** Whether to take mail from `ip` for `domain`: "take", "refuse", or "unknown: …". */
export async function checkSender({ url, key }, domain, ip) {
  const query = new URLSearchParams({ domain, ip })
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(`${url}/v1/spfvalidator?${query}`, { headers: { "x-api-key": key } })
    if (answer.status === 503 && attempt < 3) continue
    if (answer.status === 429) return "unknown: the limit of the service is reached"
    if (!answer.ok) return "unknown: the service does not answer"
    const { data } = await answer.json()
    return data.ip_pass ? "take" : "refuse"
  }
}
