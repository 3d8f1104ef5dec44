/** Debian's Apache as a child process with its own configuration, in front of an application that echoes. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/service/service.ts'
import { answers, requireInstalled, startDaemon, type Daemon } from './daemon.ts'

const program = process.env['APACHE_PATH'] ?? '/usr/sbin/apache2'
const modulesFolder = process.env['APACHE_MODULES'] ?? '/usr/lib/apache2/modules'
const usualModules = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'proxy', 'proxy_http', 'headers']

export interface ApacheServer {
  /** Its temporary folder, for files of its modules */
  readonly folder: string
  readonly stop: () => Promise<void>
  /** Restarts it with the same configuration. */
  readonly restart: () => Promise<void>
  /** Returns the server's error log, where modules log why they reject something. */
  readonly errorLog: () => Promise<string>
}

/** A module for a sign-in protocol, and its Debian package. */
export interface ApacheModule {
  readonly file: string
  readonly identifier: string
  readonly debianPackage: string
}

/** The account that runs the server's workers if root starts it. */
export const workersUser = process.getuid?.() === 0 ? 'www-data' : null

/**
 * @param configure returns its configuration, and may write files to the folder
 * @param behind the application behind it, which handles `paths`
 */
export const apacheServer = async (
  port: number,
  module: ApacheModule,
  configure: (folder: string) => Promise<readonly string[]>,
  behind: {
    readonly application: RequestListener
    readonly paths: readonly string[]
    readonly ready: string
  },
): Promise<ApacheServer> => {
  const modulePath = (name: string) => join(modulesFolder, name)
  requireInstalled(
    'Apache',
    [program, ...usualModules.map((name) => modulePath(`mod_${name}.so`)), modulePath(module.file)],
    `apache2 ${module.debianPackage}`,
  )
  const folder = await mkdtemp(join(tmpdir(), 'svc-apache-'))
  const log = join(folder, 'error.log')
  const errorLog = () => readFile(log, 'utf8').catch(() => '')
  const upstream = createServer(behind.application)
  let daemon: Daemon | undefined
  const stop = async (): Promise<void> => {
    await daemon?.stop()
    upstream.closeAllConnections()
    upstream.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const upstreamPort = await freePort()
    await new Promise<void>((resolve, reject) => {
      upstream.once('error', reject)
      upstream.listen(upstreamPort, '127.0.0.1', resolve)
    })
    // If root starts the server, its workers run as another user.
    await chmod(folder, 0o755)
    await mkdir(join(folder, 'pages'))
    const configuration = [
      `ServerRoot ${folder}`,
      `PidFile ${join(folder, 'apache.pid')}`,
      `DefaultRuntimeDir ${folder}`,
      `Mutex file:${folder} default`,
      `ErrorLog ${log}`,
      'LogLevel warn',
      `Listen 127.0.0.1:${String(port)}`,
      `ServerName http://127.0.0.1:${String(port)}`,
      'UseCanonicalName On',
      ...(workersUser === null ? [] : [`User ${workersUser}`, `Group ${workersUser}`]),
      ...usualModules.map((name) => `LoadModule ${name}_module ${modulePath(`mod_${name}.so`)}`),
      `LoadModule ${module.identifier} ${modulePath(module.file)}`,
      // Clients must not reuse a connection that a restart has closed.
      'KeepAlive Off',
      'StartServers 1',
      'ThreadsPerChild 25',
      'MaxRequestWorkers 100',
      `DocumentRoot ${join(folder, 'pages')}`,
      ...(await configure(folder)),
      // Nor must the server itself, because the application closes idle connections.
      ...behind.paths.map(
        (path) => `ProxyPass ${path} http://127.0.0.1:${String(upstreamPort)}${path} disablereuse=On`,
      ),
    ]
    await writeFile(join(folder, 'apache.conf'), `${configuration.join('\n')}\n`)
    const start = async (): Promise<void> => {
      daemon = await startDaemon(program, ['-f', join(folder, 'apache.conf'), '-D', 'FOREGROUND'], {
        ready: () => answers(`http://127.0.0.1:${String(port)}${behind.ready}`),
        why: errorLog,
        // No CA of the machine is needed here, and mod_auth_mellon would read all of them for every request.
        env: { SSL_CERT_FILE: '/dev/null', SSL_CERT_DIR: '/dev/null' },
      })
    }
    await start()
    return {
      folder,
      errorLog,
      stop,
      restart: async () => {
        await daemon?.stop()
        await start()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}
