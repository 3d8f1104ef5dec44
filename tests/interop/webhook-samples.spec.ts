/** Runs the documentation's samples in Python and Go with real webhook requests. */
import { expect } from 'chai'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { signatureOf } from '../../adapters/outbound/webhooks/envelope.ts'
import { until } from '../support/until.ts'
import { webhookReceiver, type WebhookReceiver } from '../support/webhooks/webhook-receiver.ts'
import { webhookPlace, type WebhookPlace } from '../support/webhooks/webhooks.ts'

const doc = readFileSync(new URL('../../infra/docs/webhooks.md', import.meta.url), 'utf8')
const sample = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(doc)?.[1] ?? ''

/** Reads lines of JSON: body in base64, header, secret. Prints yes or no for each. */
const python = `${sample('python')}
import base64, json, sys
for line in sys.stdin:
    body, header, secret = json.loads(line)
    print("yes" if is_from_the_service(base64.b64decode(body), header, secret) else "no")
`

const go = `package main

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

${sample('go')}
func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var given []string
		if err := json.Unmarshal(lines.Bytes(), &given); err != nil {
			panic(err)
		}
		body, _ := base64.StdEncoding.DecodeString(given[0])
		if isFromTheService(body, given[1], given[2]) {
			fmt.Println("yes")
		} else {
			fmt.Println("no")
		}
	}
}
`

describe('the samples that verify webhooks', function () {
  this.timeout(180_000)
  let place: WebhookPlace
  let receiver: WebhookReceiver
  let dir: string
  let cases: () => readonly (readonly [what: string, given: readonly string[], answer: 'yes' | 'no'])[]
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-samples-'))
    receiver = await webhookReceiver()
    place = await webhookPlace()
    const { secret } = await place.endpoint(receiver.url('/samples'))
    await place.happen('Étoile ☆')
    await until(() => receiver.received.length === 1)
    const [request] = receiver.received
    const body = request?.body ?? ''
    const header = String(request?.headers['svc-signature'])
    const base64 = (plain: string): string => Buffer.from(plain).toString('base64')
    const casesAt = (now: number): ReturnType<typeof cases> => [
      ['what was sent', [base64(body), header, secret], 'yes'],
      ['another body', [base64(`${body} `), header, secret], 'no'],
      ['another secret', [base64(body), header, `${secret}x`], 'no'],
      ['the secret without its prefix', [base64(body), header, secret.slice(6)], 'no'],
      ['another time', [base64(body), header.replace(/t=\d/, 't=2'), secret], 'no'],
      ['four minutes ago', [base64(body), signatureOf(secret, now - 240, body), secret], 'yes'],
      ['six minutes ago', [base64(body), signatureOf(secret, now - 360, body), secret], 'no'],
      ['six minutes ahead', [base64(body), signatureOf(secret, now + 360, body), secret], 'no'],
      ...['', 't=', 'v1=00', 't=²,v1=00', 't=1,v1=zz', ',,=,', `t=${String(now)},v1=`].map(
        (nonsense) => [`“${nonsense}”`, [base64(body), nonsense, secret], 'no'] as const,
      ),
    ]
    cases = () => casesAt(Math.floor(Date.now() / 1000))
  })
  after(async () => {
    await place.service.stop()
    receiver.close()
    await rm(dir, { recursive: true, force: true })
  })

  const output = async (command: string, args: readonly string[], input = ''): Promise<string> => {
    const child = spawn(command, args, { cwd: dir, env: { ...process.env, HOME: dir, GOFLAGS: '-mod=mod' } })
    child.stdin.end(input)
    const said = Promise.all([text(child.stdout), text(child.stderr)])
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve)
    })
    const [out, err] = await said
    expect(code, err).to.equal(0)
    return out.trim()
  }

  const check = async (command: string, args: readonly string[]): Promise<void> => {
    const now = cases()
    const said = await output(command, args, now.map(([, given]) => `${JSON.stringify(given)}\n`).join(''))
    expect(now.map(([what], n) => [what, said.split('\n')[n]])).to.deep.equal(
      now.map(([what, , answer]) => [what, answer]),
    )
  }

  it('WHK-04 accept in Python only what the service sends', async () => {
    await writeFile(join(dir, 'verify.py'), python)
    await check('python3', ['verify.py'])
  })

  it('WHK-04 accept in Go only what the service sends', async () => {
    await writeFile(join(dir, 'verify.go'), go)
    // Built first: on a slow machine that takes as long as a signature is valid.
    await output('go', ['build', 'verify.go'])
    await check(join(dir, 'verify'), [])
  })
})
