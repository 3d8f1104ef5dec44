/** Debian's SimpleSAMLphp as a service provider, in PHP's own web server. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/service/service.ts'
import { answers, requireInstalled, startDaemon, type Daemon } from './daemon.ts'
import { providerKey, type StartSamlStack } from './saml-stack.ts'

const library = '/usr/share/simplesamlphp'
const program = process.env['PHP_PATH'] ?? '/usr/bin/php'

/** The application: it requires a signed-in user, and shows the user. */
const page = `<?php
require '${library}/lib/_autoload.php';
$person = new \\SimpleSAML\\Auth\\Simple('provider');
$person->requireAuth();
$told = $person->getAttributes();
header('Content-Type: application/json');
echo json_encode([
  'nameId' => $person->getAuthData('saml:sp:NameID')->getValue(),
  'email' => $told['email'][0] ?? '',
  'name' => $told['name'][0] ?? '',
  'groups' => $told['groups'] ?? [],
]);
`

const configuration = (origin: string, folder: string): string => `<?php
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
  'metadata.sources' => [['type' => 'xml', 'file' => '${folder}/idp.xml']],
];
`

const sources = (idpEntityId: string): string => `<?php
$config = [
  'provider' => [
    'saml:SP',
    'entityID' => null,
    'idp' => '${idpEntityId}',
    'privatekey' => 'sp.key',
    'certificate' => 'sp.crt',
    'sign.authnrequest' => true,
    'NameIDPolicy' => false,
  ],
];
`

export const startSimpleSamlPhp: StartSamlStack = async ({ entityId, metadata }) => {
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
  const trust = (renewed: string) => writeFile(join(folder, 'idp.xml'), renewed)
  const errorLog = () => readFile(join(folder, 'simplesamlphp.log'), 'utf8').catch(() => '')
  let daemon: Daemon | undefined
  const stop = async (): Promise<void> => {
    await daemon?.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const { certificate, key } = await providerKey()
    await Promise.all([mkdir(root), mkdir(join(folder, 'tmp')), trust(metadata)])
    await Promise.all([
      symlink(`${library}/www`, join(root, 'simplesaml')),
      writeFile(join(root, 'people.php'), page),
      writeFile(join(root, 'open.php'), 'open'),
      writeFile(join(folder, 'config.php'), configuration(origin, folder)),
      writeFile(join(folder, 'authsources.php'), sources(entityId)),
      writeFile(join(folder, 'sp.key'), key),
      writeFile(join(folder, 'sp.crt'), certificate),
    ])
    daemon = await startDaemon(program, ['-S', `127.0.0.1:${String(port)}`, '-t', root], {
      env: { SIMPLESAMLPHP_CONFIG_DIR: folder },
      ready: () => answers(`${origin}/open.php`),
    })
    return {
      page: `${origin}/people.php`,
      metadataUrl: `${origin}/simplesaml/module.php/saml/sp/metadata.php/provider`,
      trust,
      errorLog: async () => (await errorLog()) + (daemon?.output() ?? ''),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
