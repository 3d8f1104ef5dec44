import { expect } from 'chai'
import { createLogger } from '../../cli/server/logger.ts'
import type { LogConfig } from '../../cli/server/config.ts'

const logging = (config: Partial<LogConfig> = {}) => {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  return { lines, logger: createLogger({ level: 'info', format: 'json', ...config }, { write }) }
}

const secret = 'k3y-that-must-not-appear'

describe('the log', () => {
  it('is one JSON object per line, with the level by name and the time as ISO 8601', () => {
    const { lines, logger } = logging()
    logger.info({ requestId: 'r1', status: 200 }, 'answered')
    const { time, ...rest } = JSON.parse(lines[0]!) as Record<string, unknown>
    expect(rest).to.deep.equal({ level: 'info', requestId: 'r1', status: 200, msg: 'answered' })
    expect(time).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  })

  it('omits entries below its level', () => {
    const { lines, logger } = logging({ level: 'warn' })
    logger.info('no')
    logger.warn('yes')
    expect(lines).to.have.length(1)
  })

  const hidden: Record<string, unknown> = {
    'a header': {
      req: { headers: { authorization: `Bearer ${secret}`, Cookie: secret, 'Set-Cookie': [secret] } },
    },
    'a form field': {
      body: { client_secret: secret, code: secret, refresh_token: secret, password: secret },
    },
    'a field in a list': { items: [{ deep: [{ clientSecret: secret, token: { value: secret } }] }] },
    'a query parameter': {
      url: `/callback?state=1&code=${secret}&id_token_hint=${secret}#access_token=${secret}`,
    },
    'a URL with a user': { url: `postgres://svc:${secret}@db/svc` },
    'a header as text': { note: `Authorization: Bearer ${secret}` },
    'our own credentials': { a: `svs_${secret}`, b: `svk_${secret}`, c: `whsec_${secret}` },
    'an error': {
      err: Object.assign(new Error(`GET /x?token=${secret}`), { config: { headers: { cookie: secret } } }),
    },
    'a cause': { err: new Error('outer', { cause: new Error(`postgres://u:${secret}@h refused`) }) },
    'a row that Postgres quotes': {
      err: Object.assign(new Error('violates a check'), {
        detail: `Failing row contains (${secret})`,
        where: secret,
      }),
    },
    'raw bytes': { data: Buffer.from(secret) },
  }
  for (const [what, fields] of Object.entries(hidden)) {
    for (const format of ['json', 'text'] as const) {
      it(`removes secrets from ${what} (${format})`, () => {
        const { lines, logger } = logging({ format })
        logger.info(fields, 'message')
        logger.child(fields as object).info('message')
        expect(lines.join('')).not.to.contain(secret)
        expect(lines).to.have.length(2)
      })
    }
  }

  it('removes secrets from messages', () => {
    const { lines, logger } = logging()
    logger.info(`redirecting to https://app.example/cb?code=${secret}&state=s`)
    logger.info('token %s', `eyJhbGciOiJSUzI1NiJ9.${secret}.${secret}`)
    expect(lines.join('')).not.to.contain(secret)
    expect((JSON.parse(lines[0]!) as { msg: string }).msg).to.match(/code=\[redacted\]&state=s$/)
  })

  it("keeps an error's own code, its message and its stack", () => {
    const { lines, logger } = logging()
    logger.error(Object.assign(new Error('no way'), { code: 'ECONNREFUSED' }))
    const { err, msg } = JSON.parse(lines[0]!) as { err: Record<string, string>; msg: string }
    expect(err).to.include({ type: 'Error', message: 'no way', code: 'ECONNREFUSED' })
    expect(err['stack']).to.contain('logger.spec')
    expect(msg).to.equal('no way')
  })

  it('survives circular values and values that cannot be serialized', () => {
    const { lines, logger } = logging()
    const circle: Record<string, unknown> = {
      name: 'circle',
      nothing: null,
      missing: undefined,
      date: new Date(0),
    }
    circle['self'] = circle
    logger.info({ circle }, 'round')
    expect(lines[0]).to.contain('[Circular]').and.to.contain('1970-01-01T00:00:00.000Z')
  })

  it('is readable as text, without control characters for the terminal', () => {
    const { lines, logger } = logging({ format: 'text' })
    logger.info({ requestId: 'r1', agent: 'a b\u001b[31m' }, 'red\u001b[31m')
    expect(lines[0]).to.match(/^\S+Z INFO {2}red\\u001b\[31m requestId=r1 agent="a b\\u001b\[31m"\n$/)
    logger.error(new Error('no way'), 'failed')
    expect(lines[1]).to.match(/ERROR failed\n {2}Error: no way\n {6}at /)
  })
})
