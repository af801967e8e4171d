export function checkSender(
  service: { url: string; key: string },
  domain: string,
  ip: string,
): Promise<string>
