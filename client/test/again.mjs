const MOST = 4; // files: where tests of more fail, it is no accident
const NEVER = /\b(?:lost|kill|cut|crash)/i; // what was lost once is lost, whatever the second try says

/**
 * again reads what a run of tests printed as TAP, and returns the files whose tests run
 * once more, with the names of those that failed; null where nothing does.
 */
export function again(tap) {
  const failed = [...tap.matchAll(/^not ok \d+ - (.*)\n  ---\n  duration_ms: .*\n  location: '(.*):\d+:\d+'/gm)];
  const files = [...new Set(failed.map(([, , file]) => file))], names = failed.map(([, name]) => name);
  const all = Number(/^# fail (\d+)$/m.exec(tap)?.[1]) === failed.length && /^# cancelled 0$/m.test(tap); // nothing failed whose file is not known
  return all && files.length > 0 && files.length <= MOST && !names.some((n) => NEVER.test(n)) ? { files, names } : null;
}
