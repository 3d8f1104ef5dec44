import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { signedResponse } from '../../adapters/inbound/saml/response.ts'
import { nameIdFormats } from '../../domain/saml/names.ts'
import { assertionResponse, type Response } from '../../domain/saml/response.ts'
import { perSecond, ratioTo, throughput, type Line } from './measure.ts'
import { cpuOf, dismiss, start, nextMessage } from './processes.ts'
import type { SamlDriverResult, SamlDriverTask, SamlTarget } from './saml-target.ts'

const AT_ONCE = 16
const SECONDS = 5

const newId = (): string => `_${randomBytes(16).toString('hex')}`

/** Returns the response for a user in eight groups. */
const response = (): Response =>
  assertionResponse({
    issuer: 'https://id.example.com/saml/metadata',
    acsUrl: 'https://app.example.com/saml/acs',
    inResponseTo: newId(),
    responseId: newId(),
    assertionId: newId(),
    audience: 'https://app.example.com/saml',
    nameId: { format: nameIdFormats.email, value: 'ada@example.com' },
    attributes: [
      { name: 'email', values: ['ada@example.com'] },
      { name: 'name', values: ['Ada Lovelace'] },
      { name: 'groups', values: Array.from({ length: 8 }, (_, n) => `Group ${String(n)}`) },
    ],
    session: {
      sessionId: 'ses_01JZ0000000000000000000009',
      authTime: '2026-01-02T03:04:05.000000Z',
      expiresAt: '2026-01-02T15:04:05.000000Z',
    },
    nowMs: Date.now(),
  })

/** Measures sign-ins with an existing session over HTTP: from the request to the page with the signed response. */
const signOnRow = async (
  databaseUrl: string,
  signaturesPerSecond: number,
  say: (line: Line) => void,
): Promise<void> => {
  const service = start('saml-own', [databaseUrl])
  try {
    const target = await nextMessage<SamlTarget>(service, 'the service')
    const before = await cpuOf(service)
    const driver = start('saml-driver')
    driver.send({ target, atOnce: AT_ONCE, seconds: SECONDS } satisfies SamlDriverTask)
    const { perSecond: rate, sent } = await nextMessage<SamlDriverResult>(driver, 'the load driver')
    const each = ((await cpuOf(service)) - before) / 1000 / sent
    say({
      what: `/saml/sso, HTTP-Redirect, ${String(AT_ONCE)} in flight`,
      value: perSecond(rate),
      ratio: `${ratioTo(rate, signaturesPerSecond, 'bare signatures')}, ${each.toFixed(2)} ms of CPU`,
    })
  } finally {
    await dismiss([service])
  }
}

/** Measures signed SAML responses, alone and over HTTP, compared with bare signatures. */
export const samlRows = async (
  databaseUrl: string,
  signaturesPerSecond: number,
  say: (line: Line) => void,
): Promise<void> => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const signer = { privateKey, certificatePem: randomBytes(750).toString('base64') }
  for (const [what, whole, signatures] of [
    ['SAML responses, assertion signed', false, 1],
    ['SAML responses, both signed', true, 2],
  ] as const) {
    const before = process.cpuUsage()
    let made = 0
    const rate = await throughput(AT_ONCE, SECONDS, async () => {
      await signedResponse(response(), signer, whole)
      made++
    })
    const { user, system } = process.cpuUsage(before)
    say({
      what: `${what}, ${String(AT_ONCE)} in flight`,
      value: perSecond(rate),
      ratio:
        `${ratioTo(rate * signatures, signaturesPerSecond, 'bare signatures')}, ` +
        `${((user + system) / 1000 / made).toFixed(2)} ms of CPU`,
    })
  }
  await signOnRow(databaseUrl, signaturesPerSecond, say)
}
