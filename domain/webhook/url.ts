import { isLocalHost } from '../local-host.ts'

const parse = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/** Why an address cannot receive events; null if it can. */
export const webhookUrlProblem = (text: string): string | null => {
  const url = /^https?:\/\/[^\s\\]+$/i.test(text) ? parse(text) : null
  if (url === null) return 'expected an https address such as https://hooks.example.com/events'
  if (url.username !== '' || url.password !== '') return 'expected an address without a user name or password'
  if (text.includes('#')) return 'expected an address without a fragment (#)'
  return url.protocol === 'https:' || isLocalHost(url.hostname)
    ? null
    : 'expected https; http only for localhost, names under .localhost and loopback addresses'
}
