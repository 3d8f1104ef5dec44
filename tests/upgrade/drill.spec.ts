/** The restore drill of infra/docs/backup.md, run exactly as printed there. */
import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { program, serve } from '../support/service/processes.ts'
import { testService } from '../support/service/service.ts'
import { embeddedEnvironment, embeddedPlace, openFolder } from '../support/upgrade/embedded.ts'

const page = readFileSync(new URL('../../infra/docs/backup.md', import.meta.url), 'utf8')
const drill = /^## Restore drill$[^]*?^```sh\n([^]*?)^```/m.exec(page)?.[1] ?? ''

describe('The restore drill', function () {
  this.timeout(240_000)

  it('restores next to the running service, with the same audit root, and all users can sign in', async () => {
    const folder = await openFolder()
    const place = await embeddedPlace(join(folder.path, 'data'))
    const first = await testService(place)
    const admin = await first.person({ name: 'Ada Lovelace' }, ['global_admin'])
    await first.stop()
    const environment = { SVC_PUBLIC_URL: place.config.publicUrl, SVC_DATA_DIR: place.config.dataDir }
    const running = await serve({ databaseUrl: '', secretKey: '' }, environment)
    await writeFile(join(folder.path, 'drill.passphrase'), 'a long enough passphrase\n')

    const quoted = [process.execPath, ...program].map((part) => `'${part}'`).join(' ')
    const output = await new Promise<string>((resolve, reject) => {
      execFile(
        'sh',
        ['-ec', `svc() { ${quoted} "$@"; }\n${drill}`],
        { cwd: folder.path, env: embeddedEnvironment(place.config.dataDir, environment) },
        (error, stdout, stderr) => {
          if (error === null) resolve(stdout)
          else reject(new Error(`${stdout}${stderr}`, { cause: error }))
        },
      )
    })
    const [written, recomputed] = [...output.matchAll(/root hash ([\w+/]{43}=)/g)].map(([, root]) => root)
    expect(written).to.be.a('string')
    expect(recomputed).to.equal(written)
    expect(output).to.match(/integrity: ok[^]*completeness: ok[^]*Identical\./)
    await running.kill('SIGTERM')

    const restored = await testService({
      ...place,
      config: { ...place.config, dataDir: join(folder.path, 'drill') },
    })
    expect((await restored.api('GET', '/me', { as: admin })).body.name).to.equal('Ada Lovelace')
    await restored.stop()
    await place.drop()
    await folder.remove()
  })
})
