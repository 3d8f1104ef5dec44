/** Debian's SimpleSAMLphp in PHP's own web server, with a configuration of its own. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/service/service.ts'
import { answers, requireInstalled, startDaemon, type Daemon } from './daemon.ts'

export const library = '/usr/share/simplesamlphp'
const program = process.env['PHP_PATH'] ?? '/usr/bin/php'

export interface PhpServer {
  readonly origin: string
  /** Writes a file of the configuration. */
  readonly write: (name: string, text: string) => Promise<void>
  readonly errorLog: () => Promise<string>
  readonly stop: () => Promise<void>
}

const configuration = (origin: string, folder: string, options: string): string => `<?php
$config = [
  'baseurlpath' => '${origin}/simplesaml/',
  'certdir' => '${folder}/',
  'loggingdir' => '${folder}/',
  'datadir' => '${folder}/',
  'tempdir' => '${folder}/tmp',
  'secretsalt' => 'only-for-this-test',
  'auth.adminpassword' => 'only-for-this-test',
  'logging.handler' => 'file',
  'logging.logfile' => 'simplesamlphp.log',
  'logging.level' => 6,
  'showerrors' => true,
  'timezone' => 'UTC',
  'trusted.url.domains' => ['${origin.replace('http://', '')}'],
  'store.type' => 'phpsession',
  'session.phpsession.savepath' => '${folder}/tmp',
  'session.cookie.secure' => false,
  'session.cookie.samesite' => null,
  'language.cookie.secure' => false,
  'language.cookie.samesite' => null,
  'language.default' => 'en',
  ${options}
];
`

/**
 * @param options returns more lines of the configuration
 * @param files of the folder of the configuration; those in `pages/` are served
 */
export const startPhpServer = async ({
  options,
  files,
}: {
  readonly options: (folder: string) => string
  readonly files: Readonly<Record<string, string>>
}): Promise<PhpServer> => {
  requireInstalled(
    'SimpleSAMLphp',
    [program, `${library}/lib/_autoload.php`],
    'simplesamlphp php-cli php-xml',
  )
  const port = await freePort()
  // Not `localhost`: cookies do not distinguish ports, and the service under test is there.
  const origin = `http://127.0.0.1:${String(port)}`
  const folder = await mkdtemp(join(tmpdir(), 'svc-simplesamlphp-'))
  const root = join(folder, 'pages')
  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  const log = () => readFile(join(folder, 'simplesamlphp.log'), 'utf8').catch(() => '')
  let daemon: Daemon | undefined
  const stop = async (): Promise<void> => {
    await daemon?.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await Promise.all(['pages', 'tmp', 'metadata'].map((name) => mkdir(join(folder, name))))
    await Promise.all([
      symlink(`${library}/www`, join(root, 'simplesaml')),
      write('pages/open.php', 'open'),
      write('config.php', configuration(origin, folder, options(folder))),
      ...Object.entries(files).map(([name, text]) => write(name, text)),
    ])
    // Otherwise PHP notices a changed file only after two seconds.
    const settings = ['-d', 'opcache.revalidate_freq=0']
    daemon = await startDaemon(program, [...settings, '-S', `127.0.0.1:${String(port)}`, '-t', root], {
      env: { SIMPLESAMLPHP_CONFIG_DIR: folder },
      ready: () => answers(`${origin}/open.php`),
    })
    return { origin, write, errorLog: async () => (await log()) + (daemon?.output() ?? ''), stop }
  } catch (error) {
    await stop()
    throw error
  }
}
