/*
 * What npm is given of the server's environment: where to find programs, whose home holds its settings and cache, how to reach
 * the registry. Settings that would redirect or hollow out an installation (those of an `npm start` around the server among
 * them) are left out.
 */

type Environment = { readonly [name: string]: string | undefined };

const PASSED =
  /^(PATH|HOME|USER|TMPDIR|LANG|HTTP_PROXY|HTTPS_PROXY|NO_PROXY|ALL_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)$/i;
const SETTING = /^npm_config_(.*)$/i;
const LEFT_OUT =
  /^(global|location|prefix|local_prefix|global_prefix|workspaces?|include_workspace_root|dry_run|package_lock(_only)?|lockfile_version|omit(_lockfile_registry_resolved)?|include|only|optional|production|dev|also|save(_.*)?|no_save|ignore_scripts|script_shell|shell|json|long|parseable|install_links|install_strategy|global_style|legacy_bundling|bin_links|node_options|init_.*|call|package|force|yes|viewer|editor|git|init_module|node_gyp|argv)$/i;
const SECRET = /token|auth|password|secret|key$/i;

/** The whole environment of an `npm` process. */
export function npmEnvironment(environment: Environment): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue;
    const setting = SETTING.exec(name)?.[1];
    const passed = setting === undefined ? PASSED.test(name) : !LEFT_OUT.test(setting.replaceAll('-', '_'));
    if (passed) given[name] = value;
  }
  return given;
}

/** `text` without the secrets of that environment and without credentials in addresses. */
export function withoutSecrets(text: string, env: Readonly<Record<string, string>>): string {
  let clean = text.replaceAll(/(\w+:\/\/)[^\s/@]+@/g, '$1***@');
  for (const [name, value] of Object.entries(env)) {
    if (SECRET.test(name) && value.length > 3) clean = clean.replaceAll(value, '***');
  }
  return clean;
}
