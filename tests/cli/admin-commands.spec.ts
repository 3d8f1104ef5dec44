/** What administrators do at a terminal with an API key: requests, and questions about access. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { tableText } from '../../cli/client/table.ts'
import { apiKey } from '../support/api/api-keys.ts'
import { computer, type Computer } from '../support/oidc/svc-client.ts'
import { oidcWorld, type TestApplication } from '../support/oidc/oidc.ts'
import { until } from '../support/until.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'

describe('svc for administrators', function () {
  this.timeout(120_000)
  let service: TestService
  let laptop: Computer
  let app: TestApplication
  let member: TestPerson

  before(async () => {
    service = await testService()
    const oidc = oidcWorld(service)
    app = await oidc.application()
    member = await oidc.member(app)
    laptop = await computer({ SVC_API_KEY: (await apiKey(service, { roles: ['global_admin'] })).key })
  })
  after(async () => {
    await laptop.remove()
    await service.stop()
  })

  const svc = async (...args: readonly string[]) => laptop.svc(...args, '--server', service.publicUrl)
  const records = async (...args: readonly string[]) => {
    const { code, out, err } = await svc(...args)
    expect({ code, err }).to.deep.equal({ code: 0, err: '' })
    return out
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }

  it('CLI-02 svc api sends a body from an argument, a file or standard input, and prints the response', async () => {
    const [group] = await records('api', 'POST', '/groups', '--data', '{"name": "Operators"}')
    expect(group).to.deep.include({ name: 'Operators' })
    const file = join(laptop.home, 'body.json')
    await writeFile(file, '{"description": "On call"}')
    const [changed] = await records('api', 'PATCH', `/groups/${String(group.id)}`, '--data', `@${file}`)
    expect(changed.description).to.equal('On call')
    const all = await records('api', 'GET', '/groups', '--all')
    expect(all.map(({ name }: { name: string }) => name)).to.include('Operators')
    await records('api', 'DELETE', `/groups/${String(group.id)}`)
    expect((await svc('api', 'POST', '/groups', '--data', '-')).err).to.match(/expected JSON/)
  })

  it('CLI-02 svc api reports errors with the message of the service and an exit code', async () => {
    for (const [args, code, message] of [
      [['GET', '/groups/grp_01JZ0000000000000000000001'], 1, /GET \/api\/v1\/groups\/grp_/],
      [['POST', '/groups', '--data', '{}'], 1, /name: is missing/],
      [['POST', '/groups', '--data', '{'], 2, /--data: expected JSON/],
      [['POST', '/groups', '--data', '@/nowhere'], 2, /cannot read \/nowhere/],
      [['GET', 'https://evil.example/'], 2, /below \/api\/v1/],
      [['FETCH', '/groups'], 2, /Invalid values/],
      [['POST', '/groups', '--all'], 2, /--all is only for GET/],
    ] as const) {
      const run = await svc('api', ...args)
      expect(run.code, args.join(' ')).to.equal(code)
      expect(run.err).to.match(message)
    }
  })

  it('CLI-02 svc who and svc access show access and its reasons, now and at a past time', async () => {
    const [opened] = await records('who', member.email)
    expect(opened).to.deep.include({ applicationId: app.applicationId, reaches: true })
    const { body: application } = await service.api('GET', `/applications/${app.applicationId}`, {
      as: await service.person({}, ['auditor']),
    })
    const users = await records('access', String(application.name))
    expect(users.map(({ email }: { email: string }) => email)).to.deep.equal([member.email])
    expect(await records('who', member.userId, '--at', '2020-01-01T00:00:00Z')).to.deep.equal([])
    expect((await svc('who', 'nobody@example.com')).err).to.match(/no such email/)
  })

  it('CLI-02 svc audit tail shows the newest entries and follows the trail, as they are recorded', async () => {
    const as = await service.person({}, ['global_admin'])
    const [group] = await records('api', 'POST', '/groups', '--data', '{"name": "Before"}')
    await until(
      async () => (await service.api('GET', `/audit?targetId=${String(group.id)}`, { as })).body.length > 0,
    )
    const [newest] = await records('audit', 'tail', '--filter', 'action=group.*', '--lines', '1')
    expect(newest).to.deep.include({ action: 'group.create', targetId: group.id })
    const run = laptop.run(
      ...[
        'audit',
        'tail',
        '--follow',
        '--filter',
        'action=group.*',
        '--lines',
        '1',
        '--server',
        service.publicUrl,
      ],
    )
    try {
      await until(() => run.out().includes(String(group.id)), 30_000, 'the newest entry')
      const [second] = await records('api', 'POST', '/groups', '--data', '{"name": "While"}')
      await until(() => run.out().includes(String(second.id)), 30_000, 'a new entry')
      expect(run.out().trim().split('\n')).to.have.length(2)
    } finally {
      run.kill()
    }
    expect((await svc('audit', 'tail', '--filter', 'colour=red')).err).to.match(
      /--filter: expected one of action=/,
    )
  })

  it('CLI-02 a terminal gets columns without control characters', () => {
    expect(
      tableText(
        ['Name', 'Why'],
        [
          ['Ada\u001b[31m', 'x'],
          ['Grace Hopper', ''],
        ],
      ),
    ).to.equal('Name          Why\nAda[31m       x\nGrace Hopper\n')
  })
})
