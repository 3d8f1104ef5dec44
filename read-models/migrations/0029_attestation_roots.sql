-- Options of passkeys and security keys name the roots that attestation has to lead to; earlier ones name none.
update method_settings set options = options || '{"attestationRoots": []}'
where options is not null and not options ? 'attestationRoots';
