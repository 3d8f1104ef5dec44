import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { CliError } from '../../cli/server/exit-codes.ts'
import { loadSecretKey, secretKeyAfterLoss } from '../../cli/server/secret-key-file.ts'

describe('the secret key of an embedded installation', () => {
  let root = ''
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'svc-key-'))
  })
  afterEach(() => rm(root, { recursive: true }))

  const place = () => ({
    dataDir: join(root, 'data'),
    databaseDir: join(root, 'data', 'postgres'),
    randomBytes,
  })
  const file = () => join(root, 'data', 'secret-key')

  const refusal = async (): Promise<string> => {
    try {
      await loadSecretKey(place())
    } catch (error) {
      expect(error).to.be.instanceOf(CliError)
      return (error as CliError).message
    }
    throw new Error('expected a refusal')
  }

  it('is created once, readable by its owner only, and then reused', async () => {
    const key = await loadSecretKey(place())
    expect(Buffer.from(key, 'base64url')).to.have.length(32)
    expect((await stat(file())).mode & 0o777).to.equal(0o600)
    // A folder of root is executable but not readable for the database's OS user.
    const closed = process.getuid?.() === 0 ? 0o711 : 0o700
    expect((await stat(join(root, 'data'))).mode & 0o777).to.equal(closed)
    expect(await loadSecretKey(place())).to.equal(key)
    expect(await readdir(join(root, 'data'))).to.deep.equal(['secret-key'])
  })

  it('is the same key for many concurrent first starts', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => loadSecretKey(place())))
    expect(new Set(keys).size).to.equal(1)
    expect(await readFile(file(), 'utf8')).to.equal(`${keys[0]}\n`)
  })

  for (const mode of [0o640, 0o604, 0o660]) {
    it(`is rejected if others can read it (${mode.toString(8)})`, async () => {
      await loadSecretKey(place())
      await chmod(file(), mode)
      expect(await refusal()).to.contain(`chmod 600 '${file()}'`)
    })
  }

  it('is never created again for an existing database', async () => {
    await loadSecretKey(place())
    await mkdir(place().databaseDir)
    await writeFile(join(place().databaseDir, 'PG_VERSION'), '18\n')
    await rm(file())
    expect(await refusal()).to.match(
      /is missing, but the secrets of the database in .* are encrypted with it/,
    )
    expect(await readdir(join(root, 'data'))).to.deep.equal(['postgres'])
  })

  it('CLI-03 is created again for an existing database once its loss is accepted, and written only after that', async () => {
    const key = await loadSecretKey(place())
    expect((await secretKeyAfterLoss(place())).key).to.equal(key)
    await rm(file())
    const nothing: unknown = await secretKeyAfterLoss(place()).catch((error: unknown) => error)
    expect(nothing).to.be.instanceOf(CliError).with.property('message').that.contains('nothing is lost')

    await mkdir(place().databaseDir)
    await writeFile(join(place().databaseDir, 'PG_VERSION'), '18\n')
    const made = await secretKeyAfterLoss(place())
    expect(made.key).not.to.equal(key)
    expect(await readdir(join(root, 'data'))).to.deep.equal(['postgres'])
    await made.keep()
    expect(await loadSecretKey(place())).to.equal(made.key)
    expect((await stat(file())).mode & 0o777).to.equal(0o600)
  })

  it('is rejected if it is not a key, without showing the content', async () => {
    await loadSecretKey(place())
    await writeFile(file(), 'hunter2')
    expect(await refusal())
      .to.contain('must contain at least 32')
      .and.not.to.contain('hunter2')
  })
})
