/** OpenSSH's server and programs, each run in a folder of its own. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { until } from '../support/until.ts'
import { freePort } from '../support/service/service.ts'
import { requireInstalled, startDaemon } from './daemon.ts'

const SSHD = '/usr/sbin/sshd'

/** The account on the server: the one that runs the tests, because sshd may need root for any other. */
export const ACCOUNT = userInfo().username

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** @param env in addition to that of this process, without its agent */
export const ran = (
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> =>
  new Promise((resolve) => {
    const { SSH_AUTH_SOCK: _, ...own } = process.env
    const child = execFile(program, args, { env: { ...own, ...env }, timeout: 30_000 }, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ code, out, err })
    })
    child.stdin?.end()
  })

/** Runs a program that must succeed. */
export const printed = async (program: string, ...args: readonly string[]): Promise<string> => {
  const { code, out, err } = await ran(program, args)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${err}${out}`)
  return out
}

export const startSshServer = async (files: { readonly authority: string; readonly revoked: Buffer }) => {
  requireInstalled('OpenSSH', [SSHD, '/usr/bin/ssh', '/usr/bin/ssh-keygen'], 'openssh-server')
  const folder = await mkdtemp(join(tmpdir(), 'svc-sshd-'))
  const at = (name: string): string => join(folder, name)
  const port = await freePort()
  await printed('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', at('host_key'))
  await mkdir(at('principals'))
  // sshd as root leaves its privileges in this folder.
  if (userInfo().uid === 0) await mkdir('/run/sshd', { recursive: true })
  const replace = async (name: string, content: string | Buffer): Promise<void> => {
    await writeFile(at(`${name}.new`), content)
    await rename(at(`${name}.new`), at(name))
  }
  const server = {
    /** What the account accepts, from now on. */
    accept: (...principals: readonly string[]) =>
      replace(`principals/${ACCOUNT}`, principals.map((name) => `${name}\n`).join('')),
    trust: (authority: string) => replace('authority.pub', authority),
    revoke: (list: Buffer) => replace('revoked', list),
  }
  await server.trust(files.authority)
  await server.revoke(files.revoked)
  await server.accept()
  await writeFile(
    at('sshd_config'),
    [
      `Port ${String(port)}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${at('host_key')}`,
      // Until the server has one, sshd only logs that it has none.
      `HostCertificate ${at('host_key-cert.pub')}`,
      'PidFile none',
      'LogLevel VERBOSE',
      'UsePAM no',
      'StrictModes no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'AuthorizedKeysFile none',
      'MaxStartups 100',
      `TrustedUserCAKeys ${at('authority.pub')}`,
      `RevokedKeys ${at('revoked')}`,
      `AuthorizedPrincipalsFile ${at('principals')}/%u`,
      '',
    ].join('\n'),
  )
  const start = () =>
    startDaemon(SSHD, ['-D', '-e', '-f', at('sshd_config')], {
      ready: async () => (await ran('ssh-keyscan', ['-p', String(port), '127.0.0.1'])).out !== '',
    })
  let daemon = await start()
  const stop = async (): Promise<void> => {
    await daemon.stop()
    await rm(folder, { recursive: true, force: true })
  }

  return {
    ...server,
    port,
    /** A file name in the folder of the server, for keys. */
    at,
    /** Starts again with the certificate that is next to the host key, or with this line instead. */
    restart: async (certificate?: string): Promise<void> => {
      if (certificate !== undefined) await replace('host_key-cert.pub', `${certificate}\n`)
      await daemon.stop()
      daemon = await start()
    },
    /**
     * Runs `id -un` on the server.
     * @param options of `ssh`
     */
    enter: (...options: readonly string[]) =>
      ran('ssh', [
        ...['-F', '/dev/null', '-o', 'BatchMode=yes', '-o', 'IdentitiesOnly=yes'],
        ...['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-p', String(port)],
        ...options,
        ...[`${ACCOUNT}@127.0.0.1`, 'id -un'],
      ]),
    /**
     * Runs `id -un` on the server if ssh knows the host from these lines, and refuses it otherwise.
     * @param host as its user types it
     * @param options of `ssh`
     */
    enterKnown: async (host: string, knownHosts: string, ...options: readonly string[]) => {
      await replace('known_hosts', knownHosts)
      return ran('ssh', [
        ...['-F', '/dev/null', '-o', 'BatchMode=yes', '-o', 'IdentitiesOnly=yes'],
        ...['-o', 'StrictHostKeyChecking=yes', '-o', `UserKnownHostsFile=${at('known_hosts')}`],
        ...['-o', 'GlobalKnownHostsFile=/dev/null', '-p', String(port), ...options],
        ...[`${ACCOUNT}@${host}`, 'id -un'],
      ])
    },
    /** Waits for a line of the log. */
    logged: (line: RegExp) => until(() => line.test(daemon.output()), 10_000, `${String(line)} in the log`),
    log: () => daemon.output(),
    stop,
  }
}

export type SshServer = Awaited<ReturnType<typeof startSshServer>>
