/** Debian's Shibboleth as a service provider: its daemon, and its module in Apache. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../support/service/service.ts'
import { apacheServer, type ApacheServer } from './apache-server.ts'
import { requireInstalled, startDaemon, type Daemon } from './daemon.ts'
import { providerKey, recognisedHeaders, recognisingApplication, type StartSamlStack } from './saml-stack.ts'

const program = process.env['SHIBD_PATH'] ?? '/usr/sbin/shibd'
const debianPackage = 'libapache2-mod-shib'

const nameIdFormats = [
  'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
  'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
]

const attributeMap = `<Attributes xmlns="urn:mace:shibboleth:2.0:attribute-map"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${nameIdFormats
  .map(
    (format) =>
      `<Attribute name="${format}" id="nameId">` +
      '<AttributeDecoder xsi:type="NameIDAttributeDecoder" formatter="$Name"/></Attribute>',
  )
  .join('\n')}
${['email', 'name', 'groups']
  .map(
    (name) =>
      `<Attribute name="${name}" nameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic" id="${name}"/>`,
  )
  .join('\n')}
</Attributes>
`

/** Both processes read this configuration; the metadata of the identity provider is at the address of its entity id. */
const configuration = (origin: string, folder: string, idp: string): string => `
<SPConfig xmlns="urn:mace:shibboleth:3.0:native:sp:config" clockSkew="180">
  <OutOfProcess logger="console.logger"/>
  <InProcess logger="console.logger"/>
  <UnixListener address="${folder}/shibd.sock"/>
  <ApplicationDefaults entityID="${origin}/shibboleth" REMOTE_USER="nameId" signing="front">
    <Sessions lifetime="28800" timeout="3600" relayState="ss:mem" handlerSSL="false" cookieProps="http"
      checkAddress="false" redirectLimit="exact">
      <SSO entityID="${idp}">SAML2</SSO>
      <SessionInitiator type="SAML2" Location="/ByPost" entityID="${idp}"
        outgoingBindings="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"/>
      <Handler type="MetadataGenerator" Location="/Metadata"/>
    </Sessions>
    <MetadataProvider type="XML" url="${idp}" backingFilePath="${folder}/idp.xml"/>
    <AttributeExtractor type="XML" validate="true" path="${folder}/attribute-map.xml"/>
    <CredentialResolver type="File" use="signing" key="${folder}/sp.key" certificate="${folder}/sp.crt"/>
  </ApplicationDefaults>
  <SecurityPolicyProvider type="XML" validate="true" path="security-policy.xml"/>
  <ProtocolProvider type="XML" validate="true" path="protocols.xml"/>
</SPConfig>
`

export const startShibboleth: StartSamlStack = async ({ entityId }) => {
  requireInstalled('Shibboleth', [program], debianPackage)
  const port = await freePort()
  // Not `localhost`: cookies do not distinguish ports, and the service under test is there.
  const origin = `http://127.0.0.1:${String(port)}`
  const { certificate, key } = await providerKey()
  let daemon: Daemon | undefined
  let server: ApacheServer | undefined
  const startShibd = async (folder: string): Promise<void> => {
    daemon = await startDaemon(program, ['-f', '-F', '-c', join(folder, 'shibboleth2.xml')], {
      // Not by connecting to it: a connection that ends immediately corrupts its memory.
      ready: () => existsSync(join(folder, 'shibd.sock')),
    })
  }
  const stop = async (): Promise<void> => {
    await daemon?.stop()
    await server?.stop()
  }
  try {
    server = await apacheServer(
      port,
      { file: 'mod_shib.so', identifier: 'mod_shib', debianPackage },
      async (folder) => {
        const files = {
          'shibboleth2.xml': configuration(origin, folder, entityId),
          'attribute-map.xml': attributeMap,
          'sp.key': key,
          'sp.crt': certificate,
        }
        for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
        await startShibd(folder)
        return [
          `ShibConfig ${join(folder, 'shibboleth2.xml')}`,
          '<Location /Shibboleth.sso>',
          'AuthType None',
          'Require all granted',
          '</Location>',
          '<Location /people>',
          'AuthType shibboleth',
          'ShibRequestSetting requireSession 1',
          'Require shib-session',
          ...recognisedHeaders({ nameId: 'nameId', email: 'email', name: 'name', groups: 'groups' }),
          '</Location>',
        ]
      },
      { application: recognisingApplication, paths: ['/people', '/open'], ready: '/open' },
    )
  } catch (error) {
    await stop()
    throw error
  }
  const { folder, errorLog, restart } = server
  const page = `${origin}/people`
  return {
    page,
    pageByPost: `${origin}/Shibboleth.sso/ByPost?target=${encodeURIComponent(page)}`,
    metadataUrl: `${origin}/Shibboleth.sso/Metadata`,
    // The daemon reads the metadata when it starts; the module must not keep connections to a stopped daemon.
    trust: async () => {
      await daemon?.stop()
      await startShibd(folder)
      await restart()
    },
    errorLog: async () => (await errorLog()) + (daemon?.output() ?? ''),
    stop,
  }
}
