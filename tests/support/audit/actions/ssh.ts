import { expect } from 'chai'
import { newKeyOf } from '../../ssh/openssh-keys.ts'
import type { AuditKit, Step } from './kit.ts'

/** Steps for a server that gets a host certificate. */
const hostSteps = ({ service, made, of, to, call, keep }: AuditKit): readonly Step[] => {
  let apiKey = ''
  return [
    [
      'create a service account for a server',
      [['service_account.create', 'Created the service account Web servers']],
      keep(
        'host',
        call('POST', to('/service-accounts'), () => ({ name: 'Web servers' })),
      ),
    ],
    [
      'give it SSH host names',
      [
        [
          'service_account.ssh_host_names.update',
          'Changed the SSH host names of the service account Web servers',
        ],
      ],
      call('PUT', to('/service-accounts/:host/ssh-host-names'), () => ({
        hostNames: ['web01.example.com', '*.web.example.com'],
      })),
    ],
    [
      'create a key for it',
      [['api_key.create', 'Created the API key hosts (api) for the service account Web servers']],
      async () => {
        const body = { name: 'hosts', scopes: ['api'] }
        apiKey = String((await call('POST', to('/service-accounts/:host/keys'), () => body)()).key)
      },
    ],
    [
      'get an SSH host certificate',
      [
        [
          'ssh.host_certificate.issue',
          () =>
            `Issued the SSH host certificate ${of('hostSerial')} to Web servers for web01.example.com, valid until ${of('hostUntil')}Z`,
        ],
      ],
      async () => {
        const { status, body } = await service.api('POST', '/ssh/host-certificates', {
          body: { publicKey: newKeyOf['ssh-ed25519']() },
          headers: { Authorization: `Bearer ${apiKey}` },
        })
        expect(status, JSON.stringify(body)).to.equal(201)
        made['hostSerial'] = String(body.serial)
        made['hostUntil'] = String(body.validBefore).slice(0, 16)
      },
    ],
    [
      'revoke an SSH host certificate',
      [
        [
          'ssh.host_certificate.revoke',
          () => `Revoked the SSH host certificate ${of('hostSerial')} of Web servers`,
        ],
      ],
      call('POST', to('/ssh/host-certificates/:hostSerial/revoke'), () => ({ reason: 'A test' })),
    ],
    [
      'delete the service account of the server',
      [
        ['service_account.delete', 'Deleted the service account Web servers'],
        ['api_key.revoke', 'Revoked the API key hosts of the service account Web servers'],
      ],
      call('DELETE', to('/service-accounts/:host')),
    ],
  ]
}

/** Steps for the SSH authority; they need a group. */
export const sshSteps = (kit: AuditKit): readonly Step[] => {
  const { admin, made, of, to, call, keep } = kit
  let rotatedFrom = ''
  let rotatedTo = ''
  return [
    [
      'map a group to SSH principals',
      [['ssh.mapping.create', 'Mapped the group People to the SSH principals deploy, root']],
      keep(
        'mapping',
        call('POST', to('/ssh/principal-mappings'), () => ({
          groupId: of('group'),
          principals: ['root', 'deploy'],
        })),
      ),
    ],
    [
      'limit an SSH principal mapping',
      [['ssh.mapping.update', 'Updated the SSH principal mapping deploy, root']],
      call('PATCH', to('/ssh/principal-mappings/:mapping'), () => ({ maxValiditySeconds: 3600 })),
    ],
    [
      'add the administrator to the group',
      [['group.member.add', 'Added Grace Admin to the group People (assigned)']],
      call(
        'PUT',
        () => `/groups/${of('group')}/members/${admin.userId}`,
        () => ({}),
      ),
    ],
    [
      'get an SSH certificate',
      [
        [
          'ssh.certificate.issue',
          () =>
            `Issued the SSH certificate ${of('serial')} to Grace Admin for deploy, root, valid until ${of('until')}Z`,
        ],
      ],
      async () => {
        const issued = await call('POST', to('/me/ssh/certificates'), () => ({
          publicKey: newKeyOf['ssh-ed25519'](),
        }))()
        made['serial'] = String(issued.serial)
        rotatedFrom = String(issued.authorityFingerprint)
        made['until'] = String(issued.validBefore).slice(0, 16)
      },
    ],
    [
      'revoke an SSH certificate',
      [['ssh.certificate.revoke', () => `Revoked the SSH certificate ${of('serial')} of Grace Admin`]],
      call('POST', to('/ssh/certificates/:serial/revoke'), () => ({ reason: 'A test' })),
    ],
    ...hostSteps(kit),
    [
      'rotate the key of the SSH authority',
      [['ssh.ca.rotate', () => `Started signing SSH certificates with the key ${rotatedTo}`]],
      async () => {
        rotatedTo = String((await call('POST', to('/ssh/ca/rotate'))()).fingerprint)
      },
    ],
    [
      'revoke the previous key of the SSH authority',
      [['ssh.ca.revoke', () => `Revoked the SSH authority key ${rotatedFrom}`]],
      call('POST', to('/ssh/ca/revoke'), () => ({ fingerprint: rotatedFrom })),
    ],
    [
      'remove the administrator from the group',
      [['group.member.remove', 'Removed Grace Admin from the group People (removed)']],
      call('DELETE', () => `/groups/${of('group')}/members/${admin.userId}`),
    ],
    [
      'delete an SSH principal mapping',
      [['ssh.mapping.delete', 'Deleted the SSH principal mapping deploy, root']],
      call('DELETE', to('/ssh/principal-mappings/:mapping')),
    ],
  ]
}
