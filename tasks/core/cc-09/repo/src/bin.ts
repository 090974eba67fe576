import { main } from "./cli";

main(process.argv.slice(2), console.log, (code) => {
  process.exitCode = code;
});
