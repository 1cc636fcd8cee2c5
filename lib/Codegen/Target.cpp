//===- Target.cpp - The processor that code is generated for -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Target.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <cstdlib>

using namespace llvm;
using namespace shard;

static void initializeTargets() {
  static bool done = [] {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
    InitializeAllAsmPrinters();
    return true;
  }();
  (void)done;
}

/// What the processor of this machine can do. Asking takes time, so it is done once.
static const StringMap<bool> &hostFeatures() {
  static const StringMap<bool> features = sys::getHostCPUFeatures();
  return features;
}

static std::string hostFeatureString() {
  SubtargetFeatures features;
  for (const auto &feature : hostFeatures())
    features.AddFeature(feature.first(), feature.second);
  return features.getString();
}

/// The instruction sets that `cpu` has and this machine lacks, by LLVM's names and
/// separated by commas. Knows the processors of x86-64 only.
static std::string missingFeatures(const Triple &triple, StringRef cpu) {
  std::string missing;
  SmallVector<StringRef> needed;
  if (triple.isX86())
    X86::getFeaturesForCPU(cpu, needed);
  for (StringRef feature : needed) {
    auto known = hostFeatures().find(feature);
    if (known == hostFeatures().end() || known->second)
      continue;
    missing += (missing.empty() ? "" : ", ") + feature.str();
  }
  return missing;
}

static std::string chooseCpu(const CpuTarget &target, bool isHost) {
  if (!target.cpu.empty())
    return target.cpu;
  const char *variable = std::getenv(cpuVariable);
  if (variable && *variable)
    return variable;
  return isHost ? "native" : "generic";
}

Expected<std::unique_ptr<TargetMachine>>
shard::createTargetMachine(const CpuTarget &target, unsigned level,
                           bool toRun) {
  initializeTargets();
  Triple host(sys::getProcessTriple());
  Triple triple(target.triple.empty() ? host.str()
                                      : Triple::normalize(target.triple));
  bool isHost =
      triple.getArch() == host.getArch() && triple.getOS() == host.getOS();
  auto fail = [](const Twine &what) {
    return createStringError(inconvertibleErrorCode(), what);
  };
  if (toRun && !isHost)
    return fail("code for '" + triple.str() +
                "' does not run on this machine, '" + host.str() + "'");
  std::string error;
  const Target *backend = TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return fail("unknown target triple '" + triple.str() + "': " + error);

  std::string cpu = chooseCpu(target, isHost), features;
  if (cpu == "native") {
    if (!isHost)
      return fail("the processor 'native' is this machine's, '" + host.str() +
                  "'; name a processor of '" + triple.str() +
                  "', such as 'generic'");
    cpu = sys::getHostCPUName().str();
    features = hostFeatureString();
  } else {
    std::unique_ptr<MCSubtargetInfo> known(
        backend->createMCSubtargetInfo(triple, "", ""));
    if (!known || !known->isCPUStringValid(cpu))
      return fail(
          "unknown processor '" + cpu + "' for '" + triple.str() +
          "': expected native" +
          (triple.isX86() ? ", x86-64, x86-64-v2, x86-64-v3, x86-64-v4" : "") +
          " or a name that LLVM knows");
    if (triple.getArch() == Triple::x86_64) {
      known.reset(backend->createMCSubtargetInfo(triple, cpu, ""));
      if (!known->checkFeatures("+64bit"))
        return fail("the processor '" + cpu + "' has no code of 64 bits");
    }
    std::string missing = toRun ? missingFeatures(triple, cpu) : "";
    if (!missing.empty())
      return fail("this machine cannot run code for '" + cpu + "': it lacks " +
                  missing);
  }
  // These convert floats to bf16 in one instruction, which takes what is below the normal numbers
  // for 0. LLVM 22.1.8 chooses it where bf16 is selected, too. Arithmetic of bf16 does not need
  // it: expandNarrowFloats rounds on integers.
  if (triple.isX86())
    features += (features.empty() ? "" : ",") +
                std::string("-avx512bf16,-avxneconvert");
  std::unique_ptr<TargetMachine> machine(backend->createTargetMachine(
      triple, cpu, features, TargetOptions(), Reloc::PIC_, CodeModel::Small,
      static_cast<CodeGenOptLevel>(level), /*JIT=*/toRun));
  if (!machine)
    return fail("LLVM generates no code for '" + triple.str() + "'");
  return machine;
}

ContractionIsa shard::contractionIsaOf(const TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86())
    return ContractionIsa::Baseline;
  const MCSubtargetInfo &subtarget = *machine.getMCSubtargetInfo();
  if (subtarget.checkFeatures("+avx512f,+avx512vl,+avx512bw,+avx512dq"))
    return ContractionIsa::Avx512;
  return subtarget.checkFeatures("+avx2,+fma,+f16c") ? ContractionIsa::Avx2
                                                     : ContractionIsa::Baseline;
}
