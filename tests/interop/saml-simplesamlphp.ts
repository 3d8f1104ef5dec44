/** Debian's SimpleSAMLphp as a service provider, in PHP's own web server. */
import { library, startPhpServer } from './simplesamlphp-server.ts'
import { providerKey, type StartSamlStack } from './saml-stack.ts'

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
  const { certificate, key } = await providerKey()
  const server = await startPhpServer({
    options: (folder) => `'metadata.sources' => [['type' => 'xml', 'file' => '${folder}/idp.xml']],`,
    files: {
      'idp.xml': metadata,
      'authsources.php': sources(entityId),
      'sp.key': key,
      'sp.crt': certificate,
      'pages/people.php': page,
    },
  })
  const { origin, write, errorLog, stop } = server
  return {
    page: `${origin}/people.php`,
    metadataUrl: `${origin}/simplesaml/module.php/saml/sp/metadata.php/provider`,
    trust: (renewed) => write('idp.xml', renewed),
    errorLog,
    stop,
  }
}
