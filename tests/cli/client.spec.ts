/** Tests the part of `svc` that runs on a user's own computer, without a service. */
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { configDir } from '../../cli/client/config-dir.ts'
import { credentialStore, type Credentials } from '../../cli/client/credentials.ts'
import { printable } from '../../cli/client/http.ts'
import { underLock } from '../../cli/client/lock.ts'
import { serverAddress } from '../../cli/client/server-address.ts'
import { CliError } from '../../cli/server/exit-codes.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

const exitOf = (work: () => unknown): number | string => {
  try {
    return `no error: ${String(work())}`
  } catch (error) {
    return error instanceof CliError ? error.exitCode : String(error)
  }
}

describe('svc on a user’s computer', () => {
  describe('the address of the service', () => {
    const good: Readonly<Record<string, string>> = {
      'https://id.example.com': 'https://id.example.com',
      'https://ID.example.com/': 'https://id.example.com',
      'https://id.example.com:443': 'https://id.example.com',
      'https://id.example.com:8443': 'https://id.example.com:8443',
      'http://localhost:8080': 'http://localhost:8080',
      'http://svc.localhost': 'http://svc.localhost',
      'http://127.0.0.1:8080/': 'http://127.0.0.1:8080',
      'http://127.9.9.9': 'http://127.9.9.9',
      'http://[::1]:8080': 'http://[::1]:8080',
    }
    for (const [written, origin] of Object.entries(good))
      it(`CLI-02 ${written} is read as ${origin}`, () => {
        expect(serverAddress(written)).to.equal(origin)
      })
    for (const written of [
      '',
      'id.example.com',
      'http://id.example.com',
      'http://10.0.0.1',
      'http://localhost.example.com',
      'http://127.0.0.1.example.com',
      'http://notlocalhost',
      'ftp://localhost',
      'javascript:alert(1)',
      'https://id.example.com/path',
      'https://id.example.com?x',
      'https://id.example.com#x',
      'https://user:secret@id.example.com',
    ])
      it(`CLI-02 ${JSON.stringify(written)} is rejected`, () => {
        expect(exitOf(() => serverAddress(written))).to.equal(2)
      })
  })

  it('CLI-02 stores its files in the user’s configuration folder', () => {
    const at = (platform: NodeJS.Platform, env: Record<string, string> = {}) =>
      configDir({ platform, env, homeDir: '/home/ada' })
    expect(at('linux')).to.equal('/home/ada/.config/svc')
    expect(at('linux', { XDG_CONFIG_HOME: '/etc/ada' })).to.equal('/etc/ada/svc')
    expect(at('linux', { XDG_CONFIG_HOME: 'relative' })).to.equal('/home/ada/.config/svc')
    expect(at('darwin', { XDG_CONFIG_HOME: '/etc/ada' })).to.equal(
      '/home/ada/Library/Application Support/svc',
    )
    expect(at('win32', { APPDATA: '/roaming' })).to.equal('/roaming/svc')
  })

  it('CLI-02 prints no terminal control characters', () => {
    expect(printable('Ada\u001b[2J\r\n\u202eevil\u0007')).to.equal('Ada[2Jevil')
  })

  describe('its files', () => {
    let dir: string
    beforeEach(async () => {
      dir = await mkdtemp(join(tmpdir(), 'svc-files-'))
    })
    afterEach(() => rm(dir, { recursive: true, force: true }))

    const credentials: Credentials = {
      server: 'https://id.example.com',
      clientId: 'svc-cli',
      accessToken: 'a',
      refreshToken: 'r',
      expiresAt: '2026-01-01T00:00:00.000Z',
      userId: 'usr_1',
      email: 'ada@example.com',
    }

    it('CLI-02 the credentials file is readable only by its user and replaced atomically', async () => {
      const own = join(dir, 'deep', 'svc')
      const store = credentialStore(own)
      expect(await store.read()).to.equal(null)
      await store.write(credentials)
      await chmod(store.path, 0o644)
      await store.write({ ...credentials, accessToken: 'b' })
      expect((await stat(store.path)).mode & 0o777).to.equal(0o600)
      expect((await stat(own)).mode & 0o777).to.equal(0o700)
      expect(await store.read()).to.deep.equal({ ...credentials, accessToken: 'b' })
      expect(await readdir(own)).to.deep.equal(['credentials.json'])
      await store.remove()
      await store.remove()
      expect(await store.read()).to.equal(null)
    })

    it('CLI-02 a read during concurrent writes returns one of them, complete', async () => {
      const store = credentialStore(dir)
      await store.write(credentials)
      const long = (n: number) => String(n).repeat(50_000)
      const writers = Array.from({ length: 8 }, (_, n) =>
        store.write({ ...credentials, accessToken: long(n) }),
      )
      const read = await Promise.all(Array.from({ length: 40 }, () => store.read()))
      await Promise.all(writers)
      for (const each of read) expect(new Set(each?.accessToken).size).to.equal(1)
    })

    for (const text of ['', '{', 'null', '[]', '{"server":1}', '{"server":"https://x"}'])
      it(`CLI-02 reports a file with ${JSON.stringify(text)} as damaged`, async () => {
        const store = credentialStore(dir)
        await writeFile(store.path, text)
        const error: unknown = await store.read().catch((thrown: unknown) => thrown)
        expect(error).to.be.instanceOf(CliError).with.property('exitCode', 1)
      })

    it('CLI-02 work under the lock never overlaps', async () => {
      const path = join(dir, 'lock')
      let inside = 0
      let most = 0
      await Promise.all(
        Array.from({ length: 12 }, () =>
          underLock(path, async () => {
            most = Math.max(most, ++inside)
            await new Promise((resolve) => setTimeout(resolve, 3))
            inside--
          }),
        ),
      )
      expect(most).to.equal(1)
      expect(await readdir(dir)).to.deep.equal([])
    })

    it('CLI-02 releases the lock after work that failed', async () => {
      const path = join(dir, 'lock')
      const failed: unknown = await underLock(path, () => Promise.reject(new Error('no'))).catch(
        (error: unknown) => error,
      )
      expect(failed).to.be.instanceOf(Error)
      expect(await underLock(path, () => Promise.resolve('yes'))).to.equal('yes')
    })

    const overlapAfter = async (abandon: (path: string) => Promise<unknown>): Promise<number> => {
      const path = join(dir, 'lock')
      await abandon(path)
      let inside = 0
      let most = 0
      await Promise.all(
        Array.from({ length: 10 }, () =>
          underLock(path, async () => {
            most = Math.max(most, ++inside)
            await new Promise((resolve) => setTimeout(resolve, 2))
            inside--
          }),
        ),
      )
      return most
    }

    it('CLI-02 a lock of a process that died is claimed by one waiting process', async () => {
      const child = spawn(process.execPath, ['-e', ''])
      await new Promise((resolve) => child.once('close', resolve))
      const { hostname } = await import('node:os')
      const holder = JSON.stringify({ pid: child.pid, host: hostname(), id: 'x' })
      expect(await overlapAfter((path) => writeFile(path, holder))).to.equal(1)
    })

    it('CLI-02 a lock that is held for longer than any work takes is claimed too, whatever the file contains', async () => {
      for (const text of ['', JSON.stringify({ pid: process.pid, host: 'elsewhere', id: 'x' })]) {
        const most = await overlapAfter(async (path) => {
          await writeFile(path, text)
          const then = new Date(Date.now() - 61_000)
          await utimes(path, then, then)
        })
        expect(most).to.equal(1)
      }
    })

    it('CLI-02 waits for a lock that another process holds', async () => {
      const path = join(dir, 'lock')
      await writeFile(path, JSON.stringify({ pid: process.pid, host: 'elsewhere', id: 'x' }))
      let entered = false
      const waiting = underLock(path, async () => {
        entered = true
      })
      await new Promise((resolve) => setTimeout(resolve, 150))
      expect(entered).to.equal(false)
      await rm(path)
      await waiting
      expect(entered).to.equal(true)
    })
  })

  it('CLI-02 loads no module of the server', async () => {
    const seen = new Set<string>()
    const packages = new Set<string>()
    const visit = async (file: string): Promise<void> => {
      if (seen.has(file)) return
      seen.add(file)
      const text = await readFile(join(root, file), 'utf8')
      const statically = [...text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from '([^']+)'/gm)]
      const lazily = /^cli\/commands\/(?:login|whoami|logout)\.ts$/.test(file)
        ? [...text.matchAll(/import\('([^']+)'\)/g)]
        : []
      for (const [, name = ''] of [...statically, ...lazily])
        if (name.startsWith('.')) await visit(join(file, '..', name))
        else if (!name.startsWith('node:')) packages.add(name.split('/')[0] ?? name)
    }
    await visit('cli/main.ts')
    expect([...seen]).to.include.members([
      'cli/commands/login.ts',
      'cli/client/device-flow.ts',
      'cli/client/lock.ts',
    ])
    expect([...seen].filter((file) => !file.startsWith('cli/'))).to.deep.equal([])
    expect([...packages]).to.deep.equal(['yargs'])
  })
})
