/** Debian's Apache with mod_auth_mellon as a service provider. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../support/service/service.ts'
import { apacheServer } from './apache-server.ts'
import { providerKey, recognisedHeaders, recognisingApplication, type StartSamlStack } from './saml-stack.ts'

export const startMellon: StartSamlStack = async ({ metadata }) => {
  const port = await freePort()
  // Not `localhost`: cookies do not distinguish ports, and the service under test is there.
  const origin = `http://127.0.0.1:${String(port)}`
  const { certificate, key } = await providerKey()
  const server = await apacheServer(
    port,
    {
      file: 'mod_auth_mellon.so',
      identifier: 'auth_mellon_module',
      debianPackage: 'libapache2-mod-auth-mellon',
    },
    async (folder) => {
      const file = async (name: string, text: string): Promise<string> => {
        await writeFile(join(folder, name), text)
        return join(folder, name)
      }
      return [
        `MellonLockFile ${join(folder, 'mellon.lock')}`,
        '<Location />',
        'MellonEnable info',
        'MellonEndpointPath /mellon',
        `MellonSPentityId ${origin}/mellon/metadata`,
        `MellonSPPrivateKeyFile ${await file('sp.key', key)}`,
        `MellonSPCertFile ${await file('sp.crt', certificate)}`,
        `MellonIdPMetadataFile ${await file('idp.xml', metadata)}`,
        'MellonSecureCookie On',
        'MellonMergeEnvVars On ";"',
        '</Location>',
        '<Location /people>',
        'AuthType Mellon',
        'MellonEnable auth',
        'Require valid-user',
        ...recognisedHeaders({
          nameId: 'MELLON_NAME_ID',
          email: 'MELLON_email',
          name: 'MELLON_name',
          groups: 'MELLON_groups',
        }),
        '</Location>',
      ]
    },
    { application: recognisingApplication, paths: ['/people', '/open'], ready: '/open' },
  )
  return {
    page: `${origin}/people`,
    metadataUrl: `${origin}/mellon/metadata`,
    trust: async (renewed) => {
      await writeFile(join(server.folder, 'idp.xml'), renewed)
      await server.restart()
    },
    errorLog: server.errorLog,
    stop: server.stop,
  }
}
