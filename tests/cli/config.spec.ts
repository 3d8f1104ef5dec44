import { expect } from 'chai'
import { defaultLimits, noLimits } from '../../adapters/inbound/http/rate-limit-rules.ts'
import { configNames, readConfig } from '../../cli/server/config.ts'
import type { Surroundings } from '../../cli/server/config.ts'
import { CliError } from '../../cli/server/exit-codes.ts'

const clone: Surroundings = { projectDir: '/srv/svc', homeDir: '/home/ada', isTerminal: false }
const key = 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k='

const problemsOf = (env: Record<string, string>): string[] => {
  try {
    readConfig(env, clone)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    expect(error.exitCode).to.equal(2)
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim())
  }
  return []
}

describe('configuration from the environment', () => {
  it('needs no variables: everything is embedded, on this machine only', () => {
    expect(readConfig({}, clone)).to.deep.equal({
      publicUrl: 'http://localhost:8080',
      listen: { host: '127.0.0.1', port: 8080 },
      dataDir: '/srv/svc/.data',
      dataDirGiven: false,
      secretKey: undefined,
      newSecretKey: undefined,
      database: { kind: 'embedded' },
      eventStore: { kind: 'database' },
      eventStorePrefix: '',
      dev: false,
      log: { level: 'info', format: 'json' },
      trustedProxies: [],
      metricsListen: undefined,
      maxConnections: 4096,
      mail: undefined,
      egressDeny: [],
      dnsServers: [],
      rateLimits: defaultLimits,
      geoipDatabase: undefined,
      asnDatabase: undefined,
    })
  })

  it('reads every variable', () => {
    const config = readConfig(
      {
        SVC_PUBLIC_URL: 'https://ID.Example.com/',
        SVC_LISTEN: '[::]:8443',
        SVC_DATA_DIR: '/var/lib/svc',
        SVC_SECRET_KEY: key,
        SVC_NEW_SECRET_KEY: 'ab'.repeat(32),
        SVC_DATABASE_URL: 'postgres://svc:pw@db/svc',
        SVC_EVENTSTORE_URL: 'esdb+discover://a:2113,b:2113?tls=true',
        SVC_EVENTSTORE_PREFIX: 'svc_',
        SVC_DEV: '0',
        SVC_LOG_LEVEL: 'debug',
        SVC_LOG_FORMAT: 'text',
        SVC_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
        SVC_METRICS_LISTEN: '127.0.0.1:9464',
        SVC_MAX_CONNECTIONS: '500',
        SVC_SMTP_URL: 'smtps://user:pw@mail:465',
        SVC_MAIL_FROM: 'Sign-in <id@example.com>',
        SVC_EGRESS_DENY: '192.0.2.0/24',
        SVC_DNS_SERVERS: '192.0.2.53, [2001:db8::53]:5353, ::1',
        SVC_RATE_LIMITS: 'sign-in=40/min',
        SVC_GEOIP_DATABASE: '/var/lib/geoip/city.mmdb',
        SVC_ASN_DATABASE: '/var/lib/geoip/asn.mmdb',
      },
      clone,
    )
    expect(config).to.deep.equal({
      publicUrl: 'https://id.example.com',
      listen: { host: '::', port: 8443 },
      dataDir: '/var/lib/svc',
      dataDirGiven: true,
      secretKey: key,
      newSecretKey: 'ab'.repeat(32),
      database: { kind: 'postgres', url: 'postgres://svc:pw@db/svc' },
      eventStore: { kind: 'eventstoredb', url: 'esdb+discover://a:2113,b:2113?tls=true' },
      eventStorePrefix: 'svc_',
      dev: false,
      log: { level: 'debug', format: 'text' },
      trustedProxies: ['10.0.0.0/8', '::1/128'],
      metricsListen: { host: '127.0.0.1', port: 9464 },
      maxConnections: 500,
      mail: { smtpUrl: 'smtps://user:pw@mail:465', from: 'Sign-in <id@example.com>' },
      egressDeny: ['192.0.2.0/24'],
      dnsServers: ['192.0.2.53', '[2001:db8::53]:5353', '::1'],
      rateLimits: { ...defaultLimits, 'sign-in': { limit: 40, seconds: 60 } },
      geoipDatabase: '/var/lib/geoip/city.mmdb',
      asnDatabase: '/var/lib/geoip/asn.mmdb',
    })
  })

  it('lets the public URL follow the port that the server listens on', () => {
    expect(readConfig({ SVC_LISTEN: '127.0.0.1:9000' }, clone).publicUrl).to.equal('http://localhost:9000')
    expect(readConfig({ SVC_LISTEN: '127.0.0.1:80' }, clone).publicUrl).to.equal('http://localhost')
    expect(problemsOf({ SVC_LISTEN: '127.0.0.1:0' })).to.have.length(1)
  })

  it('limits requests by default, and not in development', () => {
    expect(readConfig({ SVC_RATE_LIMITS: 'off' }, clone).rateLimits).to.deep.equal(noLimits)
    expect(readConfig({ SVC_DEV: '1' }, clone).rateLimits).to.deep.equal(noLimits)
    expect(problemsOf({ SVC_RATE_LIMITS: 'sign-in=many' })[0]).to.match(/^SVC_RATE_LIMITS must be off, or /)
  })

  it('sends email from the host of the public URL by default', () => {
    const from = (publicUrl: string) =>
      readConfig({ SVC_SMTP_URL: 'smtp://u:p%40w@mail', SVC_PUBLIC_URL: publicUrl }, clone).mail?.from
    expect(from('https://id.example.com:8443')).to.equal('no-reply@id.example.com')
    expect(from('http://127.0.0.1:8080')).to.equal('no-reply@localhost')
    expect(from('http://[::1]:8080')).to.equal('no-reply@localhost')
  })

  it('treats an empty variable as not set', () => {
    expect(readConfig({ SVC_DATABASE_URL: '', SVC_DEV: ' ' }, clone).database.kind).to.equal('embedded')
  })

  it('keeps the data of an installed program in the home folder', () => {
    const installed = { ...clone, projectDir: '/usr/lib/node_modules/svc' }
    expect(readConfig({}, installed).dataDir).to.equal('/home/ada/.local/share/svc')
    expect(readConfig({ XDG_DATA_HOME: '/data' }, installed).dataDir).to.equal('/data/svc')
  })

  for (const url of [
    'https://id.example.com',
    'http://localhost:8080',
    'http://[::1]:1',
    'http://a.localhost/',
  ]) {
    it(`accepts the public URL ${url}`, () => {
      expect(readConfig({ SVC_PUBLIC_URL: url }, clone).publicUrl).to.equal(url.replace(/\/$/, ''))
    })
  }

  const wrong: Record<string, string[]> = {
    SVC_PUBLIC_URL: [
      ...[
        'http://id.example.com',
        'id.example.com',
        'https://a/b',
        'https://a?b',
        'https://a#',
        'https://u@a',
      ],
      ...['ftp://localhost', 'http://localhost.example.com', 'http://127.0.0.1.example.com'],
    ],
    SVC_LISTEN: ['8080', 'localhost', '::1:80', '[1.2.3.4]:80', '127.0.0.1:65536', 'a b:80'],
    SVC_SECRET_KEY: ['short', 'x'.repeat(42), 'ab'.repeat(31), `${key} ${key}`],
    SVC_NEW_SECRET_KEY: ['äöü'.repeat(20)],
    SVC_DATABASE_URL: ['mysql://a/b', 'postgres://', 'db:5432'],
    SVC_EVENTSTORE_URL: ['http://a:2113', 'esdb://'],
    SVC_DEV: ['true', 'yes', '2'],
    SVC_LOG_LEVEL: ['verbose'],
    SVC_LOG_FORMAT: ['pretty'],
    SVC_TRUSTED_PROXIES: ['10.0.0.0/33', 'proxy', '::1/129', '10.0.0.1/8/8'],
    SVC_METRICS_LISTEN: ['9464', '127.0.0.1:8080'],
    SVC_SMTP_URL: [
      ...['mail:25', 'http://mail', 'smtp://', 'smtp://user@mail', 'smtp://mail/inbox', 'smtp://mail:70000'],
      ...['smtp://u:50%@mail', 'smtps://mail?tls.rejectUnauthorized=false'],
    ],
    SVC_MAIL_FROM: ['nobody', 'a@b\r\nBcc: c@d'],
    SVC_EGRESS_DENY: ['10.0.0.0/'],
  }
  for (const [name, values] of Object.entries(wrong)) {
    it(`reports an invalid ${name} with its expected form, without the value`, () => {
      for (const value of values) {
        // Other variables that these need.
        const others = { SVC_SECRET_KEY: key }
        const problems = problemsOf({ ...others, [name]: value })
        expect(problems, value).to.have.length(1)
        expect(problems[0]).to.match(new RegExp(`^${name} must be .`))
        if (name.includes('KEY')) expect(problems[0]).not.to.contain(value)
      }
    })
  }

  it('CLI-01 refuses development mode on an address that others can reach', () => {
    for (const url of ['https://id.example.com', 'https://10.0.0.7:8443', 'https://localhost.example.com']) {
      const problems = problemsOf({ SVC_DEV: '1', SVC_PUBLIC_URL: url })
      expect(problems, url).to.have.length(1)
      expect(problems[0], url).to.match(/^SVC_DEV=1 /)
    }
    for (const url of [
      'http://localhost:8080',
      'https://localhost',
      'http://127.0.0.1:1',
      'http://a.localhost',
    ])
      expect(readConfig({ SVC_DEV: '1', SVC_PUBLIC_URL: url }, clone).dev, url).to.equal(true)
  })

  it('reports all problems together', () => {
    expect(problemsOf({ SVC_DEV: 'yes', SVC_LISTEN: 'x', SVC_MAIL_FROM: 'me' })).to.deep.equal([
      'SVC_LISTEN must be <host>:<port>, for example 127.0.0.1:8080 or [::1]:8080',
      'SVC_DEV must be 0 or 1',
      'SVC_MAIL_FROM must be an address: name@example.com or Name <name@example.com>',
    ])
  })

  it('never shows a secret', () => {
    const secrets = {
      SVC_SECRET_KEY: 'hunter2',
      SVC_DATABASE_URL: 'x://u:hunter2@h',
      SVC_SMTP_URL: 'u:hunter2@h',
    }
    expect(problemsOf({ ...secrets, SVC_PUBLIC_URL: 'https://u:hunter2@h' }).join()).not.to.contain('hunter2')
  })

  for (const name of ['SVC_DATABASE_URL', 'SVC_EVENTSTORE_URL']) {
    it(`requires a secret key with an external store (${name})`, () => {
      const [problem] = problemsOf({ [name]: 'postgres://db/svc' })
      expect(problem)
        .to.match(/^SVC_SECRET_KEY is required/)
        .and.contain('openssl rand -base64 32')
    })
  }

  it('rejects unknown names and suggests the right one', () => {
    expect(problemsOf({ SVC_PUBLICURL: 'x', SVC_DATABSE_URL: 'x', SVC_COLOUR_OF_HAT: 'x' })).to.deep.equal([
      'SVC_PUBLICURL is unknown; did you mean SVC_PUBLIC_URL?',
      'SVC_DATABSE_URL is unknown; did you mean SVC_DATABASE_URL?',
      'SVC_COLOUR_OF_HAT is unknown',
    ])
  })

  it('ignores test variables and what Kubernetes adds for a Service named svc', () => {
    const names = ['SVC_TEST_EVENTSTORE_URL', 'SVC_SERVICE_HOST', 'SVC_SERVICE_PORT', 'SVC_SERVICE_PORT_HTTP']
    const more = [
      'SVC_PORT',
      'SVC_PORT_8080_TCP',
      'SVC_PORT_8080_TCP_ADDR',
      'SVC_METRICS_PORT_9464_TCP_PROTO',
    ]
    expect(problemsOf(Object.fromEntries([...names, ...more].map((name) => [name, 'x'])))).to.deep.equal([])
    expect(configNames).to.have.length(21)
  })
})
